"""Opens a text that holds printed packets: a capture for each section of them, beside the text itself."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

from backend.limits import Limits
from workers.decode.dumps.web_text import typed_block, typed_line
from workers.decode.identify import identify_file
from workers.decode.open_source import open_source
from workers.decode.printed.clocks import runs_since_first
from workers.decode.printed.lines import (
    Grouper,
    PrintedPacket,
    Section,
    begins_packet,
    capture_number,
    is_begin,
    may_hold_packets,
)
from workers.decode.printed.names import Names
from workers.decode.printed.rebuild import SectionFile
from workers.decode.sources import ByteSource

_SAMPLE: Final = 50
_BLOCK_BYTES: Final = 1 << 18


@dataclass
class Opened:
    """What came out of a text: the captures, and how its lines are to be understood."""

    captures: list[SectionFile] = field(default_factory=list)
    names: Names = field(default_factory=Names)


def holds_printed_packets(path: Path, limits: Limits = Limits()) -> bool:  # noqa: B008 - frozen
    """Whether a file is a text with packets that tcpdump or tshark printed. Raises OSError."""
    identified = identify_file(path)
    if identified.kind != "text":
        return False
    with open_source(path, identified.compression, limits) as source:
        return any(begins_packet(line.decode("utf-8", "replace")) for line in _raw_lines(source))


def _raw_lines(source: ByteSource) -> Iterator[bytes]:
    """Lines that may be packets: those of blocks without a sign are passed by unread."""
    rest = b""
    piece = bytearray(_BLOCK_BYTES)
    while count := source.read_into(memoryview(piece)):
        block = rest + piece[:count]
        if block[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            yield from block.decode("utf-16", "replace").encode().split(b"\n")
            return
        at = max(block.rfind(b"\n"), 0)
        rest = block[at:] if len(block) - at < _BLOCK_BYTES else b""
        if may_hold_packets(block) or may_hold_packets(typed_block(block)):
            yield from typed_block(block[:at]).split(b"\n")
    yield typed_block(rest.lstrip(b"\n"))


def open_printed(path: Path, folder: Path, limits: Limits = Limits()) -> Opened:  # noqa: B008 - frozen
    """Writes a capture of each section into `folder`. Raises OSError."""
    opened = Opened()
    folder.mkdir(parents=True, exist_ok=True)
    since_first = runs_since_first(_set_in_clocks(path, limits))
    by_section: dict[int, SectionFile] = {}
    grouper = Grouper()
    try:
        for packet in grouper.packets(text_lines(path, limits)):
            _file_of(packet.section, by_section, opened, folder, since_first).add(packet)
    finally:
        for file in by_section.values():
            file.close(file.sentences())
    return opened


def _file_of(
    section: Section, by_section: dict[int, SectionFile], opened: Opened, folder: Path, since_first: bool
) -> SectionFile:
    number = capture_number(section)
    file = by_section.get(number)
    if file is None:
        path = folder / f"printed-{number:03d}"
        file = by_section[number] = SectionFile(section, path, opened.names, since_first=since_first)
        opened.captures.append(file)
    return file


def _set_in_clocks(path: Path, limits: Limits) -> list[str]:
    clocks: list[str] = []
    for line in text_lines(path, limits):
        if line[:1] == " " and is_begin(line) and line[1:9].count(":") == 2:
            clocks.append(line.split(None, 1)[0])
        if len(clocks) == _SAMPLE or (not clocks and line[:2].isdigit() and is_begin(line)):
            break
    return clocks


def text_lines(path: Path, limits: Limits) -> Iterator[str]:
    """The lines of a text without their ends, counted as everywhere else."""
    compression = identify_file(path).compression
    with open_source(path, compression, limits) as source:
        head = bytearray(2)
        source.read_into(memoryview(head))
        utf16 = bytes(head) in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    with open_source(path, compression, limits) as source:
        raw: IO[bytes] = io.BufferedReader(_Raw(source), _BLOCK_BYTES)
        encoding = "utf-16" if utf16 else "utf-8-sig"
        for line in io.TextIOWrapper(raw, encoding=encoding, errors="replace", newline="\n"):
            yield typed_line(line.rstrip("\r\n"))


class _Raw(io.RawIOBase):
    """A ByteSource as a file of the standard library."""

    def __init__(self, source: ByteSource) -> None:
        self._source = source

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        return self._source.read_into(memoryview(buffer).cast("B"))  # type: ignore[arg-type]


def packet_lines(lines: Iterator[str]) -> tuple[Grouper, list[PrintedPacket]]:
    """For tests and small texts: every packet, and how the lines are understood."""
    grouper = Grouper()
    return grouper, list(grouper.packets(lines))
