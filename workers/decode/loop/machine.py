"""Machine code of the loop, as a file: written by `emit`, loaded and called here without numba.

Importing numba, and what it reads back of its own cache, take half a second of processor time in each process.
A file is one line of JSON, which says what the function takes, and an object file with one symbol to call."""

from __future__ import annotations

import ctypes
import json
import os
import weakref
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np

SYMBOL: Final = "stallscope_entry"
# Of numba's calling convention (numba.core.callconv.CPUCallConv): nothing returned, and all is well.
_RETURNED: Final = (0, -2)
_ARRAY: Final = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p,
                 ctypes.c_int64, ctypes.c_int64)  # fmt: skip
"""Of a one-dimensional array: its owner twice (nobody: nothing is counted), items, item size, data, shape, stride."""


@cache
def processor() -> str:
    """The kind of processor that machine code is made for."""
    chosen = os.environ.get("NUMBA_CPU_NAME")
    if chosen:
        return chosen
    import llvmlite.binding

    return str(llvmlite.binding.get_host_cpu_name())


def place_of(function: Any, folder: str) -> Path:
    """Where the machine code of an entry is kept."""
    return Path(folder) / f"{function.__module__}.{function.__qualname__}.{processor()}.code"


def kind_of(argument: Any) -> str | int:
    """What an argument is to compiled code: the item size of an array, "bool" or "int". Raises TypeError."""
    if isinstance(argument, np.ndarray):
        if argument.ndim != 1 or not argument.flags.c_contiguous:
            raise TypeError("compiled code takes arrays of one dimension in one piece")
        return argument.itemsize
    if isinstance(argument, bool | np.bool_):
        return "bool"
    if isinstance(argument, int | np.integer):
        return "int"
    raise TypeError(f"compiled code takes no {type(argument).__name__}")


def _words(argument: Any, kind: str | int) -> tuple[Any, ...]:
    if isinstance(kind, int):
        size = argument.shape[0]
        return (None, None, size, kind, argument.ctypes.data, size, kind)
    return (bool(argument),) if kind == "bool" else (int(argument),)


def _types(kind: str | int) -> tuple[Any, ...]:
    if isinstance(kind, int):
        return _ARRAY
    return (ctypes.c_bool,) if kind == "bool" else (ctypes.c_int64,)


def _link(code: bytes) -> tuple[Any, int]:
    """(what keeps the code in memory, its address)."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(codemodel="jitdefault", jit=True)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    address = int(engine.get_function_address(SYMBOL))
    if address == 0:
        raise ImportError("the kept machine code of the packet loop is damaged")
    return engine, address


def _nobody() -> object:
    """Stands for the array of a call that was not made."""
    return _nobody


class StoredEntry:
    """Calls machine code that was compiled before; loads it at the first call."""

    def __init__(self, function: Any, folder: Callable[[], str]) -> None:
        self._function, self._folder = function, folder
        self._kinds: list[str | int] = []
        self._known: list[tuple[Any, tuple[Any, ...]]] = []
        """Of each argument: the array of the call before (a weak reference), and what it was to compiled code."""
        self._call: Any = None
        self._engine: Any = None

    def load(self) -> None:
        """Reads the machine code. Raises OSError when nobody has compiled it."""
        head, _, code = place_of(self._function, self._folder()).read_bytes().partition(b"\n")
        self._kinds = json.loads(head)
        self._known = [(_nobody, ())] * len(self._kinds)
        self._engine, address = _link(code)
        words = [word for kind in self._kinds for word in _types(kind)]
        # ctypes lets go of Python's lock for the call.
        self._call = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, *words)(address)

    def __call__(self, *arguments: Any) -> None:
        """Raises TypeError for arguments of other types, IndexError where an array was left."""
        if self._call is None:
            self.load()
        words: list[Any] = []
        if len(arguments) != len(self._kinds):
            raise TypeError(f"{self._function.__qualname__} takes {len(self._kinds)} arguments")
        for place, argument in enumerate(arguments):
            known, kept = self._known[place]
            words += kept if known() is argument else self._new_words(place, argument)
        result, error = ctypes.c_void_p(), ctypes.c_void_p()
        if self._call(ctypes.byref(result), ctypes.byref(error), *words) not in _RETURNED:
            raise IndexError(f"{self._function.__qualname__} left the bounds of an array")

    def _new_words(self, place: int, argument: Any) -> tuple[Any, ...]:
        """Checks an argument that was not there at the call before. Most calls are made with the same arrays, and
        asking numpy where they lie takes longer than a short call."""
        kind = kind_of(argument)
        if kind != self._kinds[place]:
            raise TypeError(
                f"{self._function.__qualname__} was compiled for {self._kinds}, not for {kind} at {place}"
            )
        words = _words(argument, kind)
        if isinstance(kind, int):  # no reference that keeps it: a table could not grow in place
            self._known[place] = weakref.ref(argument), words
        return words
