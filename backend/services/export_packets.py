"""The rows of the packet list as CSV or JSON, page after page."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from typing import Any, Final, Literal

from backend.errors import InvalidRequest
from backend.services.jump_in_packets import packets_from
from backend.services.list_packets import PacketLine, PacketOptions, list_packets
from backend.storage.store import Store

ROWS_AT_MOST: Final = 1_000_000
"""What a spreadsheet opens."""
_PAGE: Final = 1000
_COLUMNS: Final = (
    "time", "seconds_after_first", "file", "frame", "lane", "source", "destination", "protocol", "flags",
    "length_bytes", "payload_bytes", "sequence", "acknowledgement", "info", "connection", "joined_with", "findings",
)  # fmt: skip
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""Beginnings that spreadsheets reckon with, the wide ones where Japanese or Chinese is written (OWASP)."""


def export_packets(
    store: Store, investigation_id: str, options: PacketOptions, form: Literal["csv", "json"]
) -> Iterator[str]:
    """Pieces of the text. Raises, before the first, BadFilter, or InvalidRequest for more than a spreadsheet holds."""
    total = packets_from(store, investigation_id, options, offset=0, limit=1).total or 0
    if total > ROWS_AT_MOST:
        raise InvalidRequest(f"These are {total:,} rows, more than {ROWS_AT_MOST:,}: narrow the filter.")
    lines = _lines(store, investigation_id, options)
    return _csv(lines) if form == "csv" else _json(lines)


def _lines(store: Store, investigation_id: str, options: PacketOptions) -> Iterator[PacketLine]:
    cursor: str | None = None
    while True:
        page = list_packets(store, investigation_id, options, limit=_PAGE, cursor=cursor)
        yield from page.items
        cursor = page.next_cursor
        if cursor is None:
            return


def _row(line: PacketLine) -> tuple[Any, ...]:
    whole, fraction = divmod(line.time_ns, 1_000_000_000)
    joined = " ".join(f"{each.input}#{each.frame}" for each in line.joined)
    return (
        f"{whole}.{fraction:09d}", f"{line.t / 1e9:.9f}", line.input, line.frame, line.lane, line.source,
        line.destination, line.protocol, line.flags, line.original_bytes, line.payload_bytes, line.sequence,
        line.acknowledgement, line.info, "" if line.cid is None else line.cid, joined, " ".join(line.findings),
    )  # fmt: skip


def guarded(value: Any) -> Any:
    """A text that a spreadsheet would take for a formula, made a text (OWASP, CSV injection)."""
    return (
        f"'{value}"
        if isinstance(value, str) and value.startswith(_FORMULA) and not _is_number(value)
        else value
    )


def _is_number(value: str) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True


def _csv(lines: Iterable[PacketLine]) -> Iterator[str]:
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(_COLUMNS)
    for line in lines:
        writer.writerow([guarded(value) for value in _row(line)])
        if buffer.tell() > 1 << 16:
            yield buffer.getvalue()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue()


def _json(lines: Iterable[PacketLine]) -> Iterator[str]:
    before = "[\n"
    for line in lines:
        yield before + json.dumps(dict(zip(_COLUMNS, _row(line), strict=True)))
        before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"
