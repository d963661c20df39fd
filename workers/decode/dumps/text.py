"""The text of a file, whatever its encoding, as lines; connection-tracking entries come out read already."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final

from workers.decode.conntrack.reading import Run, scan
from workers.decode.dumps.web_text import as_typed

Item = str | Run
"""A line, or several in a row that are entries."""

_UTF16: Final = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


@dataclass(frozen=True)
class Text:
    """Every line of a text, in order."""

    items: list[Item]
    lines: int
    latin_lines: tuple[int, ...] = ()
    """1-based numbers of the lines that are not UTF-8 and were read as Latin-1."""


def read_text(blocks: Iterable[bytes]) -> Text:
    """The text in blocks of any size: UTF-8, single lines of Latin-1, or UTF-16 as PowerShell's `>` writes it."""
    return scanned_text(as_typed(as_utf8(iter(blocks))))


def scanned_text(blocks: Iterator[bytes]) -> Text:
    """The same of blocks in UTF-8."""
    scanned = scan(blocks)
    items = [item.rstrip("\r") if isinstance(item, str) else item for item in scanned.items()]
    return Text(items, scanned.lines, tuple(scanned.latin_lines))


def text_of(text: str) -> Text:
    """The same of a text that is decoded already."""
    return read_text([text.removeprefix("\ufeff").encode("utf-8", errors="replace")])


def item_lines(item: Item) -> int:
    """How many lines an item stands for."""
    return 1 if isinstance(item, str) else len(item.rows)


def as_utf8(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """UTF-16 as UTF-8, without the mark at the beginning."""
    head = next(blocks, b"")
    encoding = _UTF16.get(head[:2])
    if encoding is None:
        yield head.removeprefix(codecs.BOM_UTF8)
        yield from blocks
        return
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    for block in chain((head[2:],), blocks):
        yield decoder.decode(block).encode("utf-8", errors="replace")
    yield decoder.decode(b"", final=True).encode("utf-8", errors="replace")
