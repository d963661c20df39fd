"""The work that children do: registered functions whose arguments, news and answers have declared types.

What crosses the pipe is JSON, read strictly into those types; nothing of it is ever executed."""

from __future__ import annotations

import importlib
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeVar, get_type_hints

from pydantic import TypeAdapter, ValidationError

Notify = Callable[[object], None]
Function = TypeVar("Function", bound=Callable[..., object])

_LARGEST: Final = (1 << 63) - 1
_DEEPEST: Final = 32


@dataclass(frozen=True)
class Access:
    """What a piece of work may reach beside the program itself."""

    read: tuple[Path, ...] = ()
    write: tuple[Path, ...] = ()
    """Folders."""
    scratch: Path | None = None
    """A folder for temporary files, which the parent removes."""
    may_start_programs: bool = False


class WrongAnswer(Exception):  # noqa: N818 (it says what it is)
    """A child says something that is not of the declared type."""


@dataclass(frozen=True)
class Work:
    """A function, and how what goes in and out is written."""

    function: Callable[..., object]
    news: Any

    @cached_property
    def _hints(self) -> dict[str, Any]:
        return get_type_hints(self.function)

    @cached_property
    def arguments(self) -> TypeAdapter[Any]:
        """All but the last, `notify`."""
        kinds = [kind for name, kind in self._hints.items() if name not in ("notify", "return")]
        return TypeAdapter(tuple[tuple(kinds)])  # type: ignore[arg-type, misc]

    @cached_property
    def answer(self) -> TypeAdapter[Any]:
        """What it returns."""
        return TypeAdapter(self._hints["return"])

    @cached_property
    def news_type(self) -> TypeAdapter[Any]:
        """What it reports while it works."""
        return TypeAdapter(self.news)


_WORKS: Final[dict[str, Work]] = {}


def name_of(function: Callable[..., object]) -> str:
    """What an order calls it."""
    return f"{function.__module__}:{function.__qualname__}"


def child_work(*, news: Any = None) -> Callable[[Function], Function]:
    """Register a function as work for children. `news`: the type of what it reports while it works."""

    def register(function: Function) -> Function:
        _WORKS[name_of(function)] = Work(function, news)
        return function

    return register


def work_named(name: str) -> Work:
    """Import the module and find the function; raises KeyError for what is not registered."""
    importlib.import_module(name.partition(":")[0])
    return _WORKS[name]


def build_adapters() -> None:
    """Those of all imported works, which takes some milliseconds each: children inherit them."""
    for work in _WORKS.values():
        for adapter in (work.arguments, work.answer, work.news_type):
            assert adapter is not None


def read_declared(adapter: TypeAdapter[Any], content: bytes) -> Any:
    """What a child said, as what it should be. Raises WrongAnswer."""
    try:
        _refuse_strange(json.loads(content), _DEEPEST)
        return adapter.validate_json(content, strict=True)
    except (ValidationError, ValueError, RecursionError) as error:
        raise WrongAnswer(type(error).__name__) from None


def _refuse_strange(value: object, deepest: int) -> None:
    """Values that a database or an answer of the API could not hold."""
    if isinstance(value, dict | list):
        if not deepest:
            raise ValueError("too deep")
        for each in value:
            _refuse_strange(each, deepest - 1)
        for each in value.values() if isinstance(value, dict) else ():
            _refuse_strange(each, deepest - 1)
    elif isinstance(value, str):
        value.encode()  # half of a surrogate pair is no text
        if "\0" in value:
            raise ValueError("a text with a NUL")
    elif (isinstance(value, int) and not -_LARGEST <= value <= _LARGEST) or (
        isinstance(value, float) and not math.isfinite(value)
    ):
        raise ValueError("a number out of range")


def read_text(content: bytes, longest: int) -> str:
    """A sentence or a trace of a child, cut to a length."""
    return content[:longest].decode("utf-8", "replace").replace("\0", "")
