"""The compiled loop as plain Python, so that a fuzzer sees its branches.

numba's functions take records apart by attribute and compute in int64. Called as Python they would get numpy's
scalars, which have neither. Here each structured array that Python hands to the loop becomes a `_Rows`, whose
records give Python integers: these do not overflow, and where 64 bits are meant to wrap the loop says np.uint64.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np


class _Row:
    """One record of an array: attributes read and write its fields in place."""

    __slots__ = ("_array", "_at")

    def __init__(self, array: Any, at: int) -> None:
        object.__setattr__(self, "_array", array)
        object.__setattr__(self, "_at", at)

    def __getattr__(self, name: str) -> Any:
        field = self._array[name]
        if field.dtype.names:  # records in a record
            return _Row(field, self._at) if field.ndim == 1 else _Rows(field[self._at])
        value = field[self._at]
        return value if isinstance(value, np.ndarray) else value.item()

    def __setattr__(self, name: str, value: Any) -> None:
        field = self._array[name]
        if np.ndim(value) == 0:  # compiled code keeps the low bits
            value = np.array(int(value) & 0xFFFF_FFFF_FFFF_FFFF, np.uint64).astype(field.dtype)
        field[self._at] = value


class _Rows:
    """A structured array whose elements are `_Row`; bounds are checked as compiled code checks them."""

    __slots__ = ("_array", "size")

    def __init__(self, array: Any) -> None:
        self._array = array
        self.size = array.size

    def __getitem__(self, at: Any) -> _Row:
        place = int(at)
        if not -self.size <= place < self.size:
            raise IndexError(f"{place} of {self.size}")
        return _Row(self._array, place)

    def __setitem__(self, at: Any, row: _Row) -> None:
        self._array[int(at)] = row._array[row._at]

    def __len__(self) -> int:
        return int(self.size)


def _as_rows(argument: Any) -> Any:
    if isinstance(argument, np.ndarray) and argument.dtype.names:
        return _Rows(argument)
    return argument


def _entry(function: Callable[..., Any]) -> Callable[..., Any]:
    """What Python calls: structured arrays come in as rows, and 64 bits wrap without a warning."""

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*map(_as_rows, arguments))

    return call


def use_plain_python() -> None:
    """Switches compilation off. To be called before any other module of the decoder is imported."""
    if any(name.startswith("workers.decode.loop.") for name in sys.modules):
        raise RuntimeError("the packet loop is imported already")
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    from workers.decode.loop import compiler

    compiler.entry = _entry
    compiler.entry_kept_in = lambda folder: _entry
