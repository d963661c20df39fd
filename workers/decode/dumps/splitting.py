"""Splits a text into the dumps it holds: a file, a paste of several, or a whole shell session."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from backend.forensics.dumps import Dump
from workers.decode.dumps.formats import DumpFormat, dump_formats
from workers.decode.dumps.session_lines import SessionLine, read_session_line

LOOKED_AT = 4096
"""Characters of a line that decide to which format it belongs."""


@dataclass
class _Segment:
    """Lines in a row of one format (`formats` empty: of none that is known)."""

    first: int
    """Index of its first line in the text."""
    formats: tuple[DumpFormat, ...]
    host: str
    time_ns: int | None
    lines: list[str] = field(default_factory=list)
    last_owned: str = ""


def parse_dumps(text: str) -> list[Dump]:
    """Every dump in the text, in its order; empty when it holds none that is known.

    Line numbers count from 1 in the whole text and each line belongs to exactly one dump: prompts and times
    to the one that follows, lines of no known format (not understood) to the one before. Never raises.
    """
    lines = _lines_of(text)
    dumps: list[Dump] = []
    stray: list[int] = []
    next_line = 1
    stamped: set[tuple[str, int]] = set()
    for segment in _segments(lines):
        first_line, last_line = segment.first + 1, segment.first + len(segment.lines)
        if not segment.formats:
            unknown = [first_line + n for n, line in enumerate(segment.lines) if line.strip()]
            if dumps:
                dumps[-1] = _with_strays(dumps[-1], unknown, lines=last_line - next_line + 1)
                next_line = last_line + 1
            else:
                stray += unknown
            continue
        dump = _dated(_best_format(segment).parse(segment.lines, first_line), segment, stamped)
        dumps.append(_with_strays(replace(dump, lines=0), stray, lines=last_line - next_line + 1))
        stray, next_line = [], last_line + 1
    if dumps and next_line <= len(lines):
        dumps[-1] = _with_strays(dumps[-1], [], lines=len(lines) - next_line + 1)
    return dumps


def recognise_dump(head: bytes) -> str | None:
    """The kind of the first dump in the first bytes of a file, None when there is none. Never raises."""
    text = read_dump_text(head)
    if "\x00" in text:
        return None
    for segment in _segments(_lines_of(text)):
        if segment.formats:
            return _best_format(segment).KIND
    return None


def read_dump_text(content: bytes) -> str:
    """The text of a file: UTF-8, or UTF-16 as PowerShell's `>` writes it; a byte order mark is dropped."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", errors="replace")
    return content.decode("utf-8-sig", errors="replace")


def _lines_of(text: str) -> list[str]:
    # Not splitlines(): it also breaks at form feeds and U+2028, and numbers would differ from any editor's.
    lines = text.removeprefix("\ufeff").split("\n")
    if lines[-1] == "":
        lines.pop()
    return [line.rstrip("\r") for line in lines]


def _segments(lines: Sequence[str]) -> list[_Segment]:
    segments: list[_Segment] = []
    current: _Segment | None = None
    said = SessionLine()
    for index, line in enumerate(lines):
        heard = _session_line(line, current, said)
        if heard is not None:
            said = _updated(said, heard)
            current = None
            continue
        owners = _owners(line[:LOOKED_AT], current)
        if current is None or (owners and not _continues(current, owners, line)):
            if current is None and not line.strip():
                continue
            current = _Segment(index, owners, said.host, said.time_ns)
            segments.append(current)
        current.lines.append(line)
        if owners:
            current.formats, current.last_owned = owners, line
    return segments


def _session_line(line: str, current: _Segment | None, said: SessionLine) -> SessionLine | None:
    # Most lines of a long listing are told at their first character or by the format that owns the listing.
    if current is not None and any(format_.owns_line(line[:LOOKED_AT]) for format_ in current.formats):
        return None
    return read_session_line(line, command_before=said.command)


def _updated(said: SessionLine, heard: SessionLine) -> SessionLine:
    return SessionLine(
        host=heard.host or said.host,
        command=heard.command or ("" if heard.time_ns is None else said.command),
        time_ns=said.time_ns if heard.time_ns is None else heard.time_ns,
    )


def _owners(line: str, current: _Segment | None) -> tuple[DumpFormat, ...]:
    if current is not None and current.formats:
        still = tuple(format_ for format_ in current.formats if format_.owns_line(line))
        if still:
            return still
    return tuple(format_ for format_ in dump_formats() if format_.owns_line(line))


def _continues(current: _Segment, owners: tuple[DumpFormat, ...], line: str) -> bool:
    if not current.formats or not set(map(id, owners)) & set(map(id, current.formats)):
        return False
    return not any(format_.starts_anew(current.last_owned, line[:LOOKED_AT]) for format_ in owners)


def _best_format(segment: _Segment) -> DumpFormat:
    if len(segment.formats) == 1:
        return segment.formats[0]
    head = [line[:LOOKED_AT] for line in segment.lines[:200]]
    return max(segment.formats, key=lambda format_: format_.recognise(head))


def _dated(dump: Dump, segment: _Segment, stamped: set[tuple[str, int]]) -> Dump:
    """With the host and time said above it. One time dates one dump of a kind: a second was taken later."""
    if not dump.host and segment.host:
        dump = replace(dump, host=segment.host)
    if dump.captured_at_ns is not None or segment.time_ns is None or (dump.kind, segment.time_ns) in stamped:
        return dump
    stamped.add((dump.kind, segment.time_ns))
    return replace(dump, captured_at_ns=segment.time_ns, captured_at_basis="text")


def _with_strays(dump: Dump, strays: Sequence[int], *, lines: int) -> Dump:
    return replace(
        dump,
        lines=dump.lines + lines,
        lines_not_understood=tuple(sorted({*dump.lines_not_understood, *strays})),
    )
