"""Lines of a text dump, as they were uploaded."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from backend.errors import InvalidRequest
from backend.services.read_progress import read_file
from backend.storage.records import EvidenceFile
from backend.storage.store import Store

LONGEST_LINE = 4000
"""Longer lines are shown cut; the download has them whole."""
_SECRET = re.compile(
    r'(?i)("?(?:AccessKeyId|SecretAccessKey|SecurityToken|SessionToken|access_token|(?<![\w-])Token)"?\s*[:=]\s*"?'
    r"|(?:authorization|x-aws-ec2-metadata-token)\s*:\s*)([^\s\",][^\",]*)"
)
"""Keys and tokens that a shell session may hold, as ``curl`` prints a metadata answer."""


@dataclass(frozen=True)
class DumpLine:
    """A line and its 1-based number."""

    n: int
    text: str


@dataclass(frozen=True)
class DumpLines:
    """A part of a dump."""

    lines: tuple[DumpLine, ...]
    lines_total: int


def read_lines(store: Store, investigation_id: str, file_id: str, wanted: tuple[int, int]) -> DumpLines:
    """The lines from the first to the last number of `wanted`, both included."""
    file = read_file(store, investigation_id, file_id)
    if file.kind != "dump":
        raise InvalidRequest("This file is a capture, not a text; ask for its frames.")
    first, last = wanted
    found: list[DumpLine] = []
    total = 0
    for total, text in enumerate(_lines(store, file.sha256), start=1):
        if first <= total <= last:
            found.append(DumpLine(total, _SECRET.sub(r"\1•••", text[:LONGEST_LINE])))
    return DumpLines(tuple(found), total)


def read_numbered(store: Store, file: EvidenceFile, numbers: Collection[int]) -> dict[int, str]:
    """These lines of a dump by their 1-based numbers; those it does not have are left out."""
    last = max(numbers, default=0)
    found: dict[int, str] = {}
    for number, text in enumerate(_lines(store, file.sha256) if last else (), start=1):
        if number in numbers:
            found[number] = text[:LONGEST_LINE]
        if number >= last:
            break
    return found


def _lines(store: Store, sha256: str) -> Iterator[str]:
    with store.text_path(sha256).open(encoding="utf-8", errors="replace") as stream:
        for line in stream:
            yield line.rstrip("\n")
