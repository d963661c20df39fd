"""One request taken apart into what its time went into, and requests grouped by shape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final, Literal

from backend.errors import NotFound
from backend.forensics.report import CalleePart, RequestShapePart
from backend.services.list_requests import HttpRequest, request_of
from backend.services.open_tables import open_tables
from backend.services.scope import WHOLE, Scope
from backend.services.table_rows import of_row
from backend.storage import request_tables
from backend.storage.request_tables import RequestFilter
from backend.storage.store import Store
from backend.text_classes import AddressText, FileText, FixedText, PayloadText, ProseText

OWN: Final = "own"
PRIORITY = {"metadata": 0, "dns": 1, "calls": 2}
"""What is open at once is counted once, in this order: the same as in the sums of the report."""
NS_PER_MS = 1e6


Basis = Literal["seen", "inferred"]
SegmentKind = Literal["metadata", "dns", "calls", "own", "request", "wait", "response"]
"""The last three of a request whose server's own questions were not seen."""


@dataclass(frozen=True)
class Segment:
    """A segment of a request. Overlapping segments are counted once: the sum of `counted_ms` is the total,
    the sum of `length_ms` may exceed it."""

    kind: SegmentKind
    name: AddressText
    line: PayloadText
    """Method and path, empty where it was no HTTP that could be read."""
    basis: Basis
    after_ms: float
    """Its begin, after that of the request."""
    length_ms: float
    counted_ms: float
    status: int | None = None
    input: FileText | None = None
    first_frame: int | None = None
    last_frame: int | None = None
    withheld: ProseText = ""
    """What of it was secret and is not kept, in words."""


@dataclass(frozen=True)
class RequestDetail:
    """One request: its segments' `counted_ms` and `gap_ms` add up to `total_ms`."""

    request: HttpRequest
    segments: tuple[Segment, ...]
    total_ms: float | None
    gap_ms: float
    """Between the vantage points of caller and server: no segment's."""
    costliest: FixedText
    """Kind of the segments that took most, empty where nothing is known."""
    fast_rid: int | None = None
    """For comparison: the request of the same line to the same server that was answered without an error in at most the
    median of these and half the time, and began nearest in time."""


@dataclass(frozen=True)
class RequestGroup:
    """Requests of one endpoint; `shape` is null where the server's own calls could not have been captured:
    `line` and `responder` identify it then."""

    shape: int | None
    request: PayloadText
    line: PayloadText
    responder: AddressText
    basis: Basis
    callees: tuple[CalleePart, ...]
    count: int
    sum_ms: float
    total_p50_ms: float
    total_p90_ms: float
    total_p95_ms: float
    total_p99_ms: float
    total_max_ms: float
    metadata_p50_ms: float | None
    dns_p50_ms: float | None
    calls_p50_ms: float | None
    own_p50_ms: float | None
    wait_p50_ms: float | None
    fastest: int
    """`rid` of an example, as are the next two."""
    median: int
    slowest: int


@dataclass(frozen=True)
class RequestGroups:
    """Requests by endpoint, ordered by total time."""

    items: tuple[RequestGroup, ...]
    total: int
    """Groups; only the first are listed."""
    requests: int
    """Requests in the window."""
    statement: ProseText | None
    """Which part cost most, over all served requests of the report."""
    served: int
    inferred: int


def show_request(store: Store, investigation_id: str, rid: int, scope: Scope = WHOLE) -> RequestDetail:
    """One request with its segments; raises NotFound."""
    with open_tables(store, investigation_id, scope) as tables:
        row = request_tables.find_request(tables.query, tables.requests, rid)
        if row is None:
            raise NotFound("There is no request of that number.")
        scope.check_span(row["at_ns"], row["end_ns"], tables.t0_ns)
        # It may lie outside of a view.
        fast_rid = None if scope.view else request_tables.nearest_fast(tables.query, tables.requests, row)
        if row["served"] is None:
            return replace(_dissected(row, _turns(row)), fast_rid=fast_rid)
        parts = request_tables.parts_of(tables.query, tables.request_parts, row["served"])
    return replace(_dissected(row, sweep(parts, round(row["served_ms"] * NS_PER_MS))), fast_rid=fast_rid)


def group_requests(
    store: Store, investigation_id: str, wanted: RequestFilter, scope: Scope = WHOLE
) -> RequestGroups:
    """Requests by shape; times of the filter are ns after t0. Raises NotFound before there is an analysis."""
    with open_tables(store, investigation_id, scope) as tables:
        from_ns, to_ns = tables.absolute(wanted.from_ns, wanted.to_ns)
        absolute = replace(wanted, from_ns=from_ns, to_ns=to_ns)
        rows = request_tables.group_requests(tables.query, tables.requests, absolute)
        requests = request_tables.count_requests(tables.query, tables.requests, absolute)
        served = tables.whole_report.requests
    return RequestGroups(
        items=tuple(_group(row, served.shapes if served else []) for row in rows),
        total=rows[0]["groups"] if rows else 0,
        requests=requests,
        statement=served.statement if served else None,
        served=served.count if served else 0,
        inferred=served.inferred if served else 0,
    )


def _group(row: dict[str, Any], shapes: Sequence[RequestShapePart]) -> RequestGroup:
    shape = shapes[row["shape"]] if row["shape"] is not None and row["shape"] < len(shapes) else None
    name = shape.request if shape else row["line"] or f"{row['responder']}:{row['responder_port']}"
    return of_row(RequestGroup, {**row, "request": name, "callees": shape.callees if shape else ()})


def sweep(parts: Sequence[dict[str, Any]], total_ns: int) -> tuple[Segment, ...]:
    """The parts of a request, each counted for the time in which none that comes before it was open, and between them
    its server's own work. All of them add up to `total_ns`."""
    ranked = sorted(range(len(parts)), key=lambda n: (PRIORITY[parts[n]["kind"]], parts[n]["after_ns"], n))
    rank = {n: place for place, n in enumerate(ranked)}
    begins = [max(0, part["after_ns"]) for part in parts]
    ends = [min(total_ns, part["after_ns"] + part["length_ns"]) for part in parts]
    counted = [0] * len(parts)
    own: list[tuple[int, int]] = []
    edges = sorted({0, total_ns, *begins, *ends})
    opens: dict[int, list[int]] = {}
    for n, at in enumerate(begins):
        opens.setdefault(at, []).append(n)
    active: set[int] = set()
    for begin, end in pairwise(edges):
        active |= set(opens.get(begin, ()))
        active = {n for n in active if ends[n] > begin}
        if active:
            counted[min(active, key=rank.__getitem__)] += end - begin
        elif own and own[-1][1] == begin:
            own[-1] = (own[-1][0], end)
        else:
            own.append((begin, end))
    segments = [_part(part, counted[n]) for n, part in enumerate(parts)]
    segments += [_plain(OWN, "own processing", (begin, end), "inferred") for begin, end in own]
    return tuple(sorted(segments, key=lambda s: (s.after_ms, -s.length_ms)))


def _part(part: dict[str, Any], counted_ns: int) -> Segment:
    kept = ("kind", "name", "line", "basis", "status", "input", "first_frame", "last_frame", "withheld")
    return Segment(
        **{name: part[name] for name in kept},
        after_ms=part["after_ns"] / NS_PER_MS,
        length_ms=part["length_ns"] / NS_PER_MS,
        counted_ms=counted_ns / NS_PER_MS,
    )


def _plain(kind: SegmentKind, name: str, bounds_ns: tuple[float, float], basis: Basis = "seen") -> Segment:
    begin, end = bounds_ns
    length_ms = (end - begin) / NS_PER_MS
    return Segment(kind, name, "", basis, begin / NS_PER_MS, length_ms, length_ms)


def _turns(row: dict[str, Any]) -> tuple[Segment, ...]:
    """What is known of a request whose server's own questions were not seen: asking, waiting, answering."""
    total, asking, wait = row["duration_ms"], row["asking_ms"], row["wait_ms"]
    if total is None or asking is None or wait is None:
        return ()
    named: list[tuple[SegmentKind, str, float, float]] = [
        ("request", "request sent", 0.0, asking),
        ("wait", "waiting for the first byte", asking, asking + wait),
        ("response", "response received", asking + wait, total),
    ]
    return tuple(_plain(kind, name, (a * NS_PER_MS, b * NS_PER_MS)) for kind, name, a, b in named)


def _dissected(row: dict[str, Any], segments: tuple[Segment, ...]) -> RequestDetail:
    total_ms = row["duration_ms"] if row["duration_ms"] is not None else row["served_ms"]
    of_kind: dict[str, float] = {}
    for segment in segments:
        of_kind[segment.kind] = of_kind.get(segment.kind, 0.0) + segment.counted_ms
    gap_ms = total_ms - sum(of_kind.values()) if segments and total_ms is not None else 0.0
    costliest = max(of_kind, key=lambda kind: of_kind[kind]) if of_kind else ""
    return RequestDetail(request_of(row), segments, total_ms, gap_ms, costliest)
