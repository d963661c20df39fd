"""Served requests by shape: what was asked for and whom the server asked meanwhile, and which part costs most."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backend.forensics.addresses import endpoint_text
from backend.forensics.captures import Capture
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.clocks.sorted_rows import distinct, lexsort, stable_argsort
from backend.forensics.evidence.requests.exchanges import Exchanges, read_rows
from backend.forensics.evidence.requests.latency_breakdown import CALL, DNS, METADATA, PARTS, LatencyBreakdown
from backend.forensics.evidence.requests.metadata_calls import kind_of

SHAPES_MOST = 100
_VARIABLE = re.compile(r"/(?:\d+|(?=[^/]*\d)[0-9a-fA-F-]{8,}|[^/]{40,})(?=/|$)")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_NUMBERED = re.compile(r"(?<=[-_:=,])(?:\d{2,}|(?=[0-9a-f]*\d)[0-9a-f]{6,})(?=[-_.:=,/]|$)")
"""A number of two digits or more, or hexadecimal digits, behind a word of a segment: ``order-17``,
``item_9f86d081.json``. A single digit is more often a name: ``us-east-1``."""


@dataclass(frozen=True)
class Callee:
    """Whom the server asked, and how often a request."""

    kind: str
    """One of PARTS."""
    name: str
    count: int


@dataclass(frozen=True)
class Shape:
    """Requests that ask for the same and make their server ask the same; numbers are rows of the breakdown."""

    request: str
    callees: tuple[Callee, ...]
    inferred: bool
    rows: Ints

    @property
    def examples(self) -> tuple[int, int, int]:
        """The fastest, one in the middle, the slowest: rows are in that order."""
        return int(self.rows[0]), int(self.rows[len(self.rows) // 2]), int(self.rows[-1])


def list_shapes(
    captures: Sequence[Capture], exchanges: Exchanges, breakdown: LatencyBreakdown
) -> list[Shape]:
    """All shapes, that which took most time in sum first."""
    if not len(breakdown):
        return []
    names, name_of = _request_names(captures, exchanges, breakdown)
    callees, callee_of = callee_names(captures, exchanges, breakdown)
    key = _shape_keys(breakdown, name_of, callee_of)
    number = np.unique(key, return_inverse=True)[1].reshape(-1)
    total = breakdown.total_ns
    order = lexsort((np.arange(len(total)), total, number))
    groups = np.split(order, np.flatnonzero(np.diff(number[order])) + 1)
    groups.sort(key=lambda rows: (-int(total[rows].sum()), int(rows.min())))
    by_request = stable_argsort(breakdown.pairs[0])
    begin = np.searchsorted(breakdown.pairs[0][by_request], np.arange(len(breakdown) + 1))
    shapes = []
    for rows in groups:
        one = int(rows[len(rows) // 2])
        mine = callee_of[breakdown.pairs[1][by_request[begin[one] : begin[one + 1]]]]
        used, counts = np.unique(mine, return_counts=True)
        asked = tuple(
            Callee(callees[n][0], callees[n][1], c)
            for n, c in zip(used.tolist(), counts.tolist(), strict=True)
        )
        shapes.append(Shape(names[name_of[one]], asked, bool(breakdown.inferred[one]), rows))
    return shapes


def _shape_keys(breakdown: LatencyBreakdown, name_of: Ints, callee_of: Ints) -> NDArray[np.uint64]:
    """Equal for requests of one name with the same callees, each as often."""
    rng = np.random.default_rng(1)  # fixed: numbers that do not add up to one another by accident
    weights = rng.integers(1, 2**63, size=int(callee_of.max(initial=0)) + 2, dtype=np.uint64)
    key = name_of.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + breakdown.inferred
    np.add.at(key, breakdown.pairs[0], weights[callee_of[breakdown.pairs[1]]])
    return key


def template(line: str) -> str:
    """``GET /v1/users/17?q=*`` as ``GET /v1/users/*``, and ``GET /order-17.json`` as ``GET /order-*.json``."""
    method, blank, path = line.partition("?")[0].partition(" ")
    return f"{method}{blank}{_NUMBERED.sub('*', _VARIABLE.sub('/*', _UUID.sub('*', path)))}"


def _lines(captures: Sequence[Capture], capture: Ints, row: Ints) -> tuple[list[str], Ints]:
    """(different request lines, which of them each row has)."""
    import pyarrow.compute as pc  # functions that most captures need none of

    if not len(row):
        return [], np.zeros(0, np.int64)
    texts = read_rows(captures, capture, row, ("method", "path"))
    joined = pc.binary_join_element_wise(texts["method"], texts["path"], " ")
    encoded = joined.combine_chunks().dictionary_encode()
    return encoded.dictionary.to_pylist(), encoded.indices.to_numpy().astype(np.int64)


def _request_names(
    captures: Sequence[Capture], exchanges: Exchanges, breakdown: LatencyBreakdown
) -> tuple[list[str], Ints]:
    """(names, number of the name of each request)."""
    seen = breakdown.exchange >= 0
    at = breakdown.exchange[seen]
    lines, line_of = _lines(captures, exchanges.server_capture[at], exchanges.server_row[at])
    templates = [template(line) for line in lines]
    table = exchanges.addresses
    ends, end_of = _endpoints(exchanges, table.server, table.server_port, breakdown.node[~seen])
    known = sorted(set(templates) | set(ends))
    place = {name: n for n, name in enumerate(known)}
    number = np.zeros(len(breakdown), np.int64)
    number[seen] = np.array([place[name] for name in templates] or [0])[line_of]
    number[~seen] = np.array([place[name] for name in ends] or [0])[end_of]
    return known, number


def _endpoints(exchanges: Exchanges, address: Ints, port: Ints, row: Ints) -> tuple[list[str], Ints]:
    """(different ends, which of them each row has) of the (address, port) at the rows."""
    both, inverse = np.unique(address[row] << 16 | port[row], return_inverse=True)
    table = exchanges.addresses
    ends = [
        endpoint_text(int(table.high[b >> 16]), int(table.low[b >> 16]), b & 0xFFFF) for b in both.tolist()
    ]
    return ends, inverse.reshape(-1).astype(np.int64)


def callee_names(
    captures: Sequence[Capture], exchanges: Exchanges, breakdown: LatencyBreakdown
) -> tuple[list[tuple[str, str]], Ints]:
    """((kind, name) of each callee, number of the callee of each part; parts in no request have -1)."""
    parts = breakdown.parts
    used = distinct(breakdown.pairs[1])
    seen, opaque = used[parts.exchange[used] >= 0], used[parts.node[used] >= 0]
    at = parts.exchange[seen]
    lines, line_of = _lines(captures, exchanges.capture[at], exchanges.row[at])
    ends, end_of = _endpoints(exchanges, exchanges.called, exchanges.called_port, at)
    # A metadata call is known by what it asks for, any other by whom it asks, too.
    is_call = parts.kind[seen] == CALL
    pair = np.where(is_call, end_of + 1, 0) * max(1, len(lines)) + line_of
    pairs, pair_of = np.unique(pair, return_inverse=True)
    named = [_callee(lines[p % len(lines)], ends, p // len(lines)) for p in pairs.tolist()]
    table = exchanges.addresses
    far, far_of = _endpoints(exchanges, table.server, table.server_port, parts.node[opaque])
    named += [(PARTS[CALL], f"{end} (inferred)") for end in far] + [(PARTS[DNS], "DNS")]
    known = sorted(set(named))
    place = {name: n for n, name in enumerate(known)}
    final = np.array([place[name] for name in named])
    number_of = np.full(len(parts), -1, np.int64)
    number_of[used[parts.kind[used] == DNS]] = final[-1]
    number_of[seen] = final[pair_of.reshape(-1)] if len(seen) else seen
    number_of[opaque] = final[len(pairs) + far_of] if len(opaque) else opaque
    return known, number_of


def _callee(line: str, ends: Sequence[str], end: int) -> tuple[str, str]:
    """(kind, name); `end` 0 is a metadata call."""
    method, _, path = line.partition(" ")
    if end == 0:
        return PARTS[METADATA], kind_of(method, path)
    return PARTS[CALL], f"{method} {ends[end - 1]}{template(line).partition(' ')[2]}"
