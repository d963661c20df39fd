"""Lines of a text dump, as they were uploaded, but without keys and tokens."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from backend.errors import InvalidRequest
from backend.forensics.credential_text import cleared_line, hold_credentials
from backend.services.read_progress import read_file
from backend.services.scope import WHOLE, Scope
from backend.storage.records import DECODED, EvidenceFile
from backend.storage.store import Store
from backend.text_classes import DumpText

LONGEST_LINE = 4000
"""Longer lines are shown cut; the download has them whole."""


@dataclass(frozen=True)
class Line:
    """A line and its 1-based number."""

    n: int
    text: DumpText


@dataclass(frozen=True)
class Lines:
    """A part of a dump."""

    lines: tuple[Line, ...]
    lines_total: int


def read_lines(
    store: Store, investigation_id: str, file_id: str, wanted: tuple[int, int], scope: Scope = WHOLE
) -> Lines:
    """The lines from the first to the last number of `wanted`, both included; raises NotFound for a file of which the
    scope shows none."""
    file = read_file(store, investigation_id, file_id)
    shown = scope.shown_lines(file.name)
    if file.kind != "dump":
        raise InvalidRequest("This file is a capture, not a text; ask for its frames.")
    first, last = wanted
    found: list[Line] = []
    total = 0
    for total, text in enumerate(_lines(store, file), start=1):
        if first <= total <= last and (shown is None or total in shown):
            found.append(Line(total, text))
    return Lines(tuple(found), total)


def read_numbered(store: Store, file: EvidenceFile, numbers: Collection[int]) -> dict[int, str]:
    """These lines of a dump by their 1-based numbers; those it does not have are left out."""
    last = max(numbers, default=0)
    found: dict[int, str] = {}
    for number, text in enumerate(_lines(store, file) if last else (), start=1):
        if number in numbers:
            found[number] = text
        if number >= last:
            break
    return found


def _lines(store: Store, file: EvidenceFile) -> Iterator[str]:
    """As far as they are shown; those of a text with keys or tokens in it are cleared of what may be one."""
    path = store.text_path(file.sha256)
    is_undecided = file.status != DECODED and hold_credentials(_stored_lines(path))
    if file.holds_credentials or is_undecided:
        yield from map(cleared_line, _stored_lines(path))
    else:
        yield from _stored_lines(path)


def _stored_lines(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8", errors="replace") as stream:
        for line in stream:
            yield line.rstrip("\n")[:LONGEST_LINE]
