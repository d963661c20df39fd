"""Splits a text into the dumps it holds: a file, a paste of several, or a whole shell session."""

from __future__ import annotations

import logging
import traceback
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Final

from backend.forensics.dumps import Dump
from backend.forensics.isolation import Isolation
from workers.decode.dumps import conntrack_entries, conntrack_events, printed_packets
from workers.decode.dumps.bare_values import read_bare_values
from workers.decode.dumps.fences import Fences
from workers.decode.dumps.formats import DumpFormat, as_format, dump_formats, is_last_resort
from workers.decode.dumps.prefixes import Said, without_prefixes
from workers.decode.dumps.printed_packets import MARK
from workers.decode.dumps.remarks import is_remark
from workers.decode.dumps.session_lines import LEFT_OUT, SessionLine, read_session_line, read_typed_line
from workers.decode.dumps.subjects import Subjects
from workers.decode.dumps.text import Item, Text, as_utf8, item_lines, scanned_text
from workers.decode.dumps.unknown_lines import UnknownLines
from workers.decode.dumps.web_text import as_typed

_log: Final = logging.getLogger("stallscope.analysis")
LOOKED_AT = 4096
"""Characters of a line that decide to which format it belongs."""


_REMARKED_MOST: Final = 200
"""Lines that were not understood in a row of a text that people wrote in; more are a log that is not known."""


@dataclass
class _Segment:
    """Lines in a row of one format (`formats` empty: of none that is known)."""

    first_line: int
    formats: tuple[DumpFormat, ...]
    said: SessionLine
    items: list[Item] = field(default_factory=list)
    lines: int = 0
    last_owned: str = ""

    def texts(self) -> list[str]:
        """The lines, where none is an entry."""
        return [item for item in self.items if isinstance(item, str)]


def parse_dumps(text: str) -> list[Dump]:
    """Every dump in the text, in its order; empty when it holds none that is known.

    Line numbers count from 1 in the whole text and each line belongs to exactly one dump: prompts and times
    to the one that follows, lines of no known format (not understood) to the one before. Never raises.
    """
    return parse_dump_bytes(text.encode("utf-8", errors="replace"))


def dumps_in(text: Text, taken: Sequence[range] = ()) -> list[Dump]:
    """The same of a text that was read from a file, in which lines may be `taken` by JSON objects (in order)."""
    free, fences = _FreeLines(taken), Fences(text.items)
    dumps: list[Dump] = []
    before_first: list[int] = []
    next_line = 1
    subjects, last_line, is_new = Subjects(), 0, False
    stamped: set[tuple[str, int]] = set()
    for segment in _segments(*without_prefixes(text, _is_known)):
        is_new = is_new or segment.first_line > last_line + 1
        last_line = segment.first_line + segment.lines - 1
        dump = _parse(segment)
        if dump is None:
            texts = enumerate(segment.texts(), segment.first_line)
            unknown = _without_remarks([number for number, line in texts if line.strip()], segment, fences)
            if dumps:
                dumps[-1] = _with_unknown_lines(dumps[-1], unknown, lines=free.count(next_line, last_line))
                next_line = last_line + 1
            else:
                before_first += unknown
            continue
        strange = _without_remarks(dump.lines_not_understood, segment, fences)
        dump = replace(dump, lines_not_understood=tuple(strange))
        dump = subjects.named(_dated(dump, segment.said, stamped), segment.said.command, is_new=is_new)
        is_new = False
        dumps.append(
            _with_unknown_lines(replace(dump, lines=0), before_first, lines=free.count(next_line, last_line))
        )
        before_first, next_line = [], last_line + 1
    if dumps and next_line <= text.lines:
        dumps[-1] = _with_unknown_lines(dumps[-1], [], lines=free.count(next_line, text.lines))
    return dumps


def recognise_dump(head: bytes) -> str | None:
    """The kind of the first dump in the first bytes of a file, None when there is none. Never raises."""
    text, dumps = read_dumps([head])
    if any("\x00" in item for item in text.items if isinstance(item, str)):
        return None
    return dumps[0].kind if dumps else None


def parse_dump_bytes(content: bytes) -> list[Dump]:
    """The dumps in the bytes of a file, whatever their encoding. Never raises."""
    return read_dumps([content])[1]


def read_dumps(blocks: Iterable[bytes]) -> tuple[Text, list[Dump]]:
    """(the text in blocks of any size, every dump in it). In the text marks are in place of packets that tcpdump or
    tshark printed, and blank lines in place of JSON objects."""
    from workers.decode.objects.reader import Objects, without_objects  # these import modules of this package
    from workers.decode.printed.marks import with_marks

    objects = Objects()
    text = scanned_text(with_marks(without_objects(as_typed(as_utf8(iter(blocks))), objects)))
    return text, [*objects.dumps, *dumps_in(text, objects.lines)]


class _FreeLines:
    """Counts the lines of a text that no JSON object takes."""

    def __init__(self, taken: Sequence[range]) -> None:
        self._taken = taken
        self._before = [0, *accumulate(map(len, taken))]

    def count(self, first: int, last: int) -> int:
        """From one line to another, both included."""
        return last - first + 1 - (self._taken_to(last) - self._taken_to(first - 1))

    def _taken_to(self, line: int) -> int:
        number = bisect_right(self._taken, line, key=lambda lines: lines.start)
        beyond = max(self._taken[number - 1].stop - 1 - line, 0) if number else 0
        return self._before[number] - beyond


def _without_remarks(numbers: Sequence[int], segment: _Segment, fences: Fences) -> Sequence[int]:
    """Lines that no parser understood, but for sentences of whoever pasted them: in Markdown what is outside of its
    code blocks."""
    if not 0 < len(numbers) <= _REMARKED_MOST:
        return numbers
    lines: dict[int, str] = {}
    number = segment.first_line
    for item in segment.items:
        if isinstance(item, str):
            lines[number] = item
        number += item_lines(item)
    return [
        number for number in numbers if not (is_remark(lines.get(number, "")) or fences.are_around(number))
    ]


def _parse(segment: _Segment) -> Dump | None:
    if segment.formats:
        return _parsed(_best_format(segment), segment)
    return read_bare_values(segment.texts(), segment.first_line, segment.said.command)


def _parsed(format_: DumpFormat, segment: _Segment) -> Dump:
    """A parser that breaks loses its own listing; the others of the text are as without it."""
    try:
        return format_.parse(segment.items, segment.first_line)  # type: ignore[arg-type]
    except Exception as error:
        if Isolation.strict:
            raise
        # The message of an error may quote the text; the places do not.
        places, name = "".join(traceback.format_tb(error.__traceback__)), type(error).__name__
        _log.error("the parser of %s broke with %s:\n%s", format_.KIND, name, places)
        lines = range(segment.first_line, segment.first_line + segment.lines)
        why = f"The parser of {format_.KIND} broke ({name}) on the dump at line {lines.start:,}: not read."
        return Dump(kind=format_.KIND, lines=len(lines), lines_not_understood=(*lines,), warnings=(why,))


def _segments(text: Text, prefixes: Said) -> list[_Segment]:
    segments: list[_Segment] = []
    current: _Segment | None = None
    said, number, unknown = SessionLine(), 1, UnknownLines()
    for index, item in enumerate(text.items):
        line_number, number = number, number + item_lines(item)
        host = prefixes.hosts.get(index, said.host)
        if host != said.host:
            said, current = replace(said, host=host), None
        if current is not None and _goes_on_printed(item, current):
            current.items.append(item)
            current.lines += 1
            continue
        line, owners = _owners(item, current, unknown)
        heard = _session_line(item, current, said) or (None if owners else read_typed_line(line))
        if heard is not None and not (heard is LEFT_OUT and current is not None):
            said, current = _updated(said, heard), None
            continue
        if current is None or (owners and not _continues(current, owners, line)):
            if current is None and not line.strip():
                continue
            time_ns = prefixes.times_ns.get(index) if said.time_ns is None else said.time_ns
            current = _Segment(line_number, owners, replace(said, time_ns=time_ns))
            segments.append(current)
        current.items.append("" if heard is LEFT_OUT else item)
        current.lines += item_lines(item)
        if owners:
            current.formats, current.last_owned = owners, line
    return segments


def _goes_on_printed(item: Item, current: _Segment) -> bool:
    """A further packet: nothing else stands in place of its line."""
    return isinstance(item, str) and item[:1] == MARK and current.formats == (as_format(printed_packets),)


def _session_line(item: Item, current: _Segment | None, said: SessionLine) -> SessionLine | None:
    # Most lines of a long listing are recognized at their first character or by the format that owns the listing.
    if not isinstance(item, str):
        return None
    if current is not None and any(format_.owns_line(item[:LOOKED_AT]) for format_ in current.formats):
        return None
    return read_session_line(item, command_before=said.command)


def _updated(said: SessionLine, heard: SessionLine) -> SessionLine:
    return SessionLine(
        host=heard.host or said.host,
        command=heard.command or ("" if heard.time_ns is None else said.command),
        time_ns=said.time_ns if heard.time_ns is None else heard.time_ns,
    )


def _owners(
    item: Item, current: _Segment | None, unknown: UnknownLines
) -> tuple[str, tuple[DumpFormat, ...]]:
    """The line, or one that stands for those of a run, and the formats that own it."""
    if not isinstance(item, str):
        module = conntrack_events if item.events else conntrack_entries
        return module.ANY_LINE, (as_format(module),)
    line = item[:LOOKED_AT]
    if current is not None and current.formats and not is_last_resort(current.formats):
        still = tuple(format_ for format_ in current.formats if format_.owns_line(line))
        if still:
            return line, still
    if unknown.hold(line):
        return line, ()
    found = tuple(format_ for format_ in dump_formats() if format_.owns_line(line))
    if found:
        unknown.end()
    else:
        unknown.add(line)
    sure = tuple(format_ for format_ in found if not is_last_resort((format_,)))
    return line, sure or found


def _is_known(line: str) -> bool:
    known = (format_ for format_ in dump_formats() if not is_last_resort((format_,)))
    return any(format_.owns_line(line[:LOOKED_AT]) for format_ in known)


def _continues(current: _Segment, owners: tuple[DumpFormat, ...], line: str) -> bool:
    if not current.formats or not set(map(id, owners)) & set(map(id, current.formats)):
        return False
    return not any(format_.starts_anew(current.last_owned, line) for format_ in owners)


def _best_format(segment: _Segment) -> DumpFormat:
    if len(segment.formats) == 1:
        return segment.formats[0]
    head = [line[:LOOKED_AT] for line in segment.texts()[:200]]
    return max(segment.formats, key=lambda format_: format_.recognise(head))


def _dated(dump: Dump, said: SessionLine, stamped: set[tuple[str, int]]) -> Dump:
    """With the host and time said above it. One time dates one dump of a kind: a second was taken later."""
    if not dump.host and said.host:
        dump = replace(dump, host=said.host)
    if dump.captured_at_ns is not None or said.time_ns is None or (dump.kind, said.time_ns) in stamped:
        return dump
    stamped.add((dump.kind, said.time_ns))
    return replace(dump, captured_at_ns=said.time_ns, captured_at_basis="text")


def _with_unknown_lines(dump: Dump, unknown: Sequence[int], *, lines: int) -> Dump:
    return replace(
        dump,
        lines=dump.lines + lines,
        lines_not_understood=tuple(sorted({*dump.lines_not_understood, *unknown})),
    )
