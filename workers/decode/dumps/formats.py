"""What a dump format is, and the list of all: a module of this package with a `KIND` is one."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from functools import cache
from types import ModuleType
from typing import Protocol, cast

import workers.decode.dumps
from backend.forensics.dumps import Dump


class DumpFormat(Protocol):
    """The names that a format's module holds. None of its functions raises, whatever the text."""

    KIND: str
    """As in ``Dump.kind``."""

    def recognise(self, head: Sequence[str]) -> float:
        """How surely these lines are this format: 0 not at all, 1 entirely."""

    def owns_line(self, line: str) -> bool:
        """Whether this line can only be of this format. Gets at most its first 4,096 characters."""

    def starts_anew(self, previous: str, line: str) -> bool:
        """Whether a second listing begins at `line`, when `previous` was the last line owned before it."""

    def parse(self, lines: Sequence[str], first_line: int) -> Dump:
        """The records; `first_line` is the number that the first of `lines` has in its file (1-based)."""


@cache
def dump_formats() -> tuple[DumpFormat, ...]:
    """Every format there is, by name of its module."""
    names = sorted(module.name for module in pkgutil.iter_modules(workers.decode.dumps.__path__))
    modules = [importlib.import_module(f"workers.decode.dumps.{name}") for name in names if name != "tests"]
    return tuple(as_format(module) for module in modules if hasattr(module, "KIND"))


def is_last_resort(formats: Sequence[DumpFormat]) -> bool:
    """Whether these formats take lines only where no other one owns them."""
    return all(getattr(format_, "LAST_RESORT", False) for format_ in formats)


def as_format(module: ModuleType) -> DumpFormat:
    """A module of this package as the format that it is."""
    return cast(DumpFormat, module)


def share_owned(owns_line: Callable[[str], bool], head: Sequence[str]) -> float:
    """The share of the lines that are not blank which a format owns."""
    lines = [line for line in head if line.strip()]
    return sum(owns_line(line) for line in lines) / len(lines) if lines else 0.0
