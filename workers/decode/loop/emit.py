"""Compiles entries of the loop to machine code in files. Imported only by the process that compiles."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numba

from workers.decode.loop.machine import SYMBOL, kind_of, place_of, processor


def _features() -> str:
    """Of the processor: none beyond its name when another one than this machine's was chosen."""
    if os.environ.get("NUMBA_CPU_NAME"):
        return os.environ.get("NUMBA_CPU_FEATURES", "")
    return str(llvm.get_host_cpu_features().flatten())


def _object_code(assembly: str, name: str) -> bytes:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(assembly)
    module.get_function(name).name = SYMBOL
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=processor(), features=_features(), opt=3, codemodel="jitdefault", jit=True
    )
    return bytes(machine.emit_object(module))


_typeof: Any = numba.typeof  # its stubs know no types


class EmittedEntry:
    """Compiles where others call."""

    def __init__(self, dispatcher: Any, function: Any, folder: Callable[[], str]) -> None:
        self._dispatcher, self._function, self._folder = dispatcher, function, folder

    def __call__(self, *arguments: Any) -> None:
        """Writes the machine code for arguments of these types; runs nothing."""
        place = place_of(self._function, self._folder())
        if place.exists():
            return
        head = json.dumps([kind_of(argument) for argument in arguments]).encode()
        signature = tuple(_typeof(argument) for argument in arguments)
        self._dispatcher.compile(signature)
        result = self._dispatcher.overloads[signature]
        code = _object_code(result.library.get_llvm_str(), result.fndesc.llvm_func_name)
        place.parent.mkdir(parents=True, exist_ok=True)
        partial: Path = place.with_name(f".{place.name}.{os.getpid()}")
        partial.write_bytes(head + b"\n" + code)
        partial.replace(place)
