"""Work counted in place of timed: elements of arrays that were looked at, and calls of functions.

Numbers that any machine repeats exactly, so that a test can tell how work grows with a capture."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from backend.forensics.captures import Capture
from backend.forensics.evidence.kernel.counters import DumpInput
from workers.decode.bench.detectors import run_parts
from workers.decode.captures import decode_capture

_TABLES = ("connections", "handshakes", "signals", "buckets")
_Result = TypeVar("_Result")


class Work:
    """What was counted so far."""

    elements = 0
    calls = 0


class CountedArray(np.ndarray[Any, Any]):
    """An array that adds to `Work.elements` what operations on it look at. What is computed from it is one, too."""

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, out: Any = None, **named: Any
    ) -> Any:
        # ``at`` goes to the places that its second argument names, whatever the size of the first.
        Work.elements += max(np.size(value) for value in (inputs[1:] if method == "at" else inputs))
        if out is not None:
            named["out"] = tuple(_bare(value) for value in out)
        return _counted(getattr(ufunc, method)(*_bare(inputs), **_bare(named)))

    def __array_function__(
        self, function: Callable[..., Any], types: Any, inputs: Iterable[Any], named: Mapping[str, Any]
    ) -> Any:
        # A search looks at the logarithm of the table it searches.
        inputs = tuple(inputs)
        looked_at = inputs[1:] if function is np.searchsorted else (*inputs, *named.values())
        Work.elements += _size(looked_at)
        return _counted(function(*_bare(inputs), **_bare(named)))

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, np.ndarray):
            Work.elements += key.size
        elif isinstance(key, (int, np.integer)):
            Work.elements += 1
        return _counted(np.ndarray.__getitem__(_bare(self), _bare(key)))

    def __setitem__(self, key: Any, value: Any) -> None:
        Work.elements += _size((key, value))
        np.ndarray.__setitem__(_bare(self), _bare(key), _bare(value))

    def tolist(self) -> Any:
        """Every element becomes an object."""
        Work.elements += self.size
        return _bare(self).tolist()

    def astype(self, *how: Any, **named: Any) -> Any:
        """A copy is made."""
        Work.elements += self.size
        return _counted(_bare(self).astype(*how, **named))

    def __iter__(self) -> Iterator[Any]:
        Work.elements += self.size
        return iter(_bare(self))


def _size(value: Any) -> int:
    """Elements of all arrays in it."""
    if isinstance(value, np.ndarray):
        return value.size
    return sum(_size(each) for each in value) if isinstance(value, (tuple, list)) else 0


def _bare(value: Any) -> Any:
    if isinstance(value, CountedArray):
        return value.view(np.ndarray)
    if isinstance(value, dict):
        return {name: _bare(each) for name, each in value.items()}
    return type(value)(map(_bare, value)) if type(value) in (tuple, list) else value


def _counted(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.view(CountedArray) if value.ndim else value[()]
    return tuple(map(_counted, value)) if type(value) is tuple else value


def with_counted_tables(capture: Capture) -> Capture:
    """The same capture, whose tables count who looks at them."""
    return replace(capture, **{name: getattr(capture, name).view(CountedArray) for name in _TABLES})


class VisitMeter:
    """Elements and calls by part."""

    def __init__(self) -> None:
        self.parts: dict[str, int] = {}

    def run(self, what: str, part: Callable[[], _Result]) -> _Result:
        """Run it, and keep its count."""
        begin, before = Work.elements + Work.calls, sys.getprofile()
        sys.setprofile(_note_call)
        try:
            return part()
        finally:
            sys.setprofile(before)
            self.parts[what] = Work.elements + Work.calls - begin


def _note_call(frame: object, event: str, argument: object) -> None:
    if event in ("call", "c_call"):
        Work.calls += 1


def count_parts(path: Path, dumps: Sequence[DumpInput] = ()) -> dict[str, int]:
    """What each fact, detector and cause looks at in one capture."""
    capture = decode_capture(path, name=path.name, sha256="", packets_path=None)
    meter = VisitMeter()
    run_parts(with_counted_tables(capture), meter, dumps)
    return meter.parts


def growing_faster(few: dict[str, int], many: dict[str, int], times: float, power: float) -> dict[str, float]:
    """The exponent of every part whose work grows faster than this power of the capture, which became `times` as
    large."""
    exponents = {what: math.log(count / few[what]) / math.log(times) for what, count in many.items()}
    return {what: round(exponent, 2) for what, exponent in exponents.items() if exponent > power}
