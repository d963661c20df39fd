"""The names that a report lists: of addresses that are in its captures or in its sentences, while they were there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import numpy as np

from backend.forensics.addresses import address_text, shortest_text
from backend.forensics.captures import Capture
from backend.forensics.findings import rfc3339
from backend.forensics.naming.name_table import FOREVER, Interval, NameTable
from backend.forensics.report import EvidencePart, NamePart

NAMES_AT_MOST: Final = 5_000
_ENDS: Final = ("client", "server")
_IN_TEXT: Final = re.compile(
    r"(?<![\w.:])(?:(?:\d{1,3}\.){3}\d{1,3}|[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7})(?![\w])"
)


def list_names(
    table: NameTable, captures: Sequence[Capture], texts: Iterable[str]
) -> tuple[list[NamePart], int]:
    """(the names of at most NAMES_AT_MOST intervals, how many there are); texts are those of the report."""
    if not len(table):
        return [], 0
    seen = [capture for capture in captures if capture.packets]
    first_ns = min((capture.first_ns for capture in seen), default=0)
    last_ns = max((capture.last_ns for capture in seen), default=FOREVER - 1)
    addresses = dict.fromkeys([*_of_connections(seen), *_of_texts(texts)])
    found = [
        _part(address, interval, (first_ns, last_ns))
        for address in addresses
        if address in table
        for interval in table.intervals(address, first_ns, last_ns)
    ]
    kept = found[:NAMES_AT_MOST]
    return sorted(kept, key=lambda each: (each.address, each.start or "")), len(found)


def _of_connections(captures: Sequence[Capture]) -> Iterator[str]:
    """Different ones, those of the most connections first."""
    columns = [capture.connections[[f"{end}_high", f"{end}_low"]] for capture in captures for end in _ENDS]
    if not columns:
        return
    pairs = np.concatenate([np.column_stack([c[name] for name in c.dtype.names or ()]) for c in columns])
    different, counts = np.unique(pairs, axis=0, return_counts=True)
    for place in np.argsort(-counts, kind="stable"):
        yield address_text(int(different[place, 0]), int(different[place, 1]))


def _of_texts(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        for found in _IN_TEXT.findall(text):
            address = shortest_text(found)
            if address is not None:
                yield address


def _part(address: str, interval: Interval, span: tuple[int, int]) -> NamePart:
    source, named = interval.name, interval.name.named
    places = [named.line] if named.line else []
    return NamePart(
        address=address,
        name=named.name,
        sort=named.sort,
        start=rfc3339(interval.from_ns) if interval.from_ns > span[0] else None,
        end=rfc3339(interval.until_ns) if interval.until_ns <= span[1] else None,
        evidence=EvidencePart(
            input=source.input,
            frames=places if source.in_frames else [],
            lines=[] if source.in_frames else places,
        ),
    )
