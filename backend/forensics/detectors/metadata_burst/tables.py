"""The tables of a finding: served requests with what metadata calls took of them, and the calls."""

from __future__ import annotations

from typing import Any

import numpy as np

from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.clocks.sorted_rows import lexsort
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.requests.exchanges import read_rows
from backend.forensics.evidence.requests.metadata_calls import MetadataUse, call_frames
from backend.forensics.findings import rfc3339
from backend.forensics.report import ColumnPart, TablePart

_REQUEST_COLUMNS = (
    ("start", ""), ("request", ""), ("status", ""), ("duration", "ms"), ("metadata_calls", ""), ("metadata", "ms"),
    ("metadata_share", "ratio"), ("input", ""), ("frame", ""),
)  # fmt: skip
_CALL_COLUMNS = (
    ("start", ""), ("kind", ""), ("call", ""), ("status", ""), ("duration", "ms"), ("credentials_left", "s"),
    ("inside", ""), ("input", ""), ("frame", ""),
)  # fmt: skip


def shown_requests(use: MetadataUse, most: int) -> Ints:
    """Positions in `served`: those with calls first, then others while there is room, by start."""
    rank = lexsort((np.arange(len(use.served)), use.calls_in == 0))
    return np.sort(rank[:most])


def request_lines(facts: Facts, use: MetadataUse, positions: Ints) -> list[str]:
    """``GET /v1/ads?q=*`` of served requests."""
    rows = use.served[positions]
    exchanges = facts.exchanges
    texts = read_rows(
        facts.captures, exchanges.server_capture[rows], exchanges.server_row[rows], ("method", "path")
    )
    pairs = zip(texts["method"].to_pylist(), texts["path"].to_pylist(), strict=True)
    return [f"{method} {path}" for method, path in pairs]


def request_table(facts: Facts, use: MetadataUse, most: int) -> TablePart:
    """Every request that the caller served, up to `most` of them."""
    positions = shown_requests(use, most)
    rows, exchanges = use.served[positions], facts.exchanges
    columns = read_rows(
        facts.captures,
        exchanges.server_capture[rows],
        exchanges.server_row[rows],
        ("status", "request_first_frame"),
    )
    status, frame = (columns[name].to_pylist() for name in ("status", "request_first_frame"))
    lines = request_lines(facts, use, positions)
    calls_in = use.calls_in
    found: list[list[Any]] = []
    for n, position in enumerate(positions.tolist()):
        service_ns = int(use.served_end_ns[position] - use.served_start_ns[position])
        metadata_ns = int(use.metadata_ns[position])
        found.append(
            [
                rfc3339(int(use.served_start_ns[position])),
                lines[n],
                status[n] or None,
                round(service_ns / 1e6, 3),
                int(calls_in[position]),
                round(metadata_ns / 1e6, 3),
                round(metadata_ns / max(1, service_ns), 4),
                facts.captures[int(exchanges.server_capture[rows[n]])].name,
                frame[n],
            ]
        )
    parts = [ColumnPart(name=name, unit=unit) for name, unit in _REQUEST_COLUMNS]
    return TablePart(name="requests", columns=parts, rows=found, rows_total=len(use.served))


def call_table(facts: Facts, use: MetadataUse, most: int) -> TablePart:
    """The calls, up to `most` of them; `inside` is the number of the request's row in the report's events."""
    calls, exchanges = use.calls, facts.exchanges
    rows = calls.exchange[:most]
    texts = read_rows(facts.captures, exchanges.capture[rows], exchanges.row[rows], ("method", "path"))
    methods, paths = texts["method"].to_pylist(), texts["path"].to_pylist()
    frames = call_frames(facts.captures, exchanges, rows)[0]
    inside = np.zeros(len(calls), np.int64)
    number = np.cumsum(use.calls_in > 0)
    inside[use.inside[1][::-1]] = number[use.inside[0][::-1]]
    found: list[list[Any]] = []
    for n in range(len(rows)):
        left = float(calls.lifetime_s[n])
        found.append(
            [
                rfc3339(int(calls.start_ns[n])),
                calls.kind[n],
                f"{methods[n]} {paths[n]}",
                int(calls.status[n]) or None,
                round((int(calls.end_ns[n]) - int(calls.start_ns[n])) / 1e6, 3)
                if calls.end_ns[n] > 0
                else None,
                None if np.isnan(left) else round(left, 3),
                int(inside[n]) or None,
                *frames[n],
            ]
        )
    parts = [ColumnPart(name=name, unit=unit) for name, unit in _CALL_COLUMNS]
    return TablePart(name="calls", columns=parts, rows=found, rows_total=len(calls))
