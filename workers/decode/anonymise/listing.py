"""A listing of a tool or kernel as one that can be given away, line for line."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from backend.limits import Limits
from workers.decode.anonymise.listing_text import line_text
from workers.decode.anonymise.pseudonyms import Pseudonyms
from workers.decode.identify import identify_file
from workers.decode.open_source import open_source
from workers.decode.sources import ByteSource

_PIECE: Final = 1 << 20
_UTF16: Final = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_LONGEST: Final = 4 << 20
"""Characters without an end of line or of an XML element: what is longer is no listing."""


def anonymise_listing(
    path: Path, target: Path, pseudonyms: Pseudonyms, limits: Limits, captured_at_ns: int | None = None
) -> int:
    """Writes it; how many lines. A time that only the uploader stated goes into a line of its own, as the collector
    writes it."""
    lines = 0
    with (
        open_source(path, identify_file(path).compression, limits) as source,
        target.open("w", encoding="utf-8", newline="") as file,
    ):
        if captured_at_ns is not None:
            file.write(f"=== {datetime.fromtimestamp(captured_at_ns / 1e9, UTC):%Y-%m-%dT%H:%M:%S.%fZ}\n")
        for line in _lines(source):
            file.write(line_text(line, pseudonyms))
            lines += line.endswith("\n")
    return lines


def _lines(source: ByteSource) -> Iterator[str]:
    """Lines with their ends; of very long ones the elements of XML."""
    rest = ""
    for text in _texts(source):
        rest += text
        *whole, rest = rest.split("\n")
        yield from (line + "\n" for line in whole)
        if len(rest) > _PIECE:
            element = rest.rfind(">") + 1
            yield rest[:element]
            rest = rest[element:]
        if len(rest) > _LONGEST:
            rest = ""
    if rest:
        yield rest


def _texts(source: ByteSource) -> Iterator[str]:
    """UTF-8, single bytes that are none as Latin-1, or UTF-16 as PowerShell writes it."""
    buffer = bytearray(_PIECE)
    count = source.read_into(memoryview(buffer))
    encoding = _UTF16.get(bytes(buffer[:2]), "utf-8-sig")
    skip = 0 if encoding == "utf-8-sig" else 2
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    while count:
        yield decoder.decode(bytes(buffer[skip:count]))
        skip = 0
        count = source.read_into(memoryview(buffer))
    yield decoder.decode(b"", final=True)
