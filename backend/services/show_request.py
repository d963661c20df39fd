"""One request taken apart into what its time went into, and requests grouped by shape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from backend.errors import NotFound
from backend.forensics.report import CalleePart, ServedRequestsPart
from backend.services.list_requests import absolute_times
from backend.services.open_tables import open_tables
from backend.storage import request_tables
from backend.storage.request_tables import RequestFilter
from backend.storage.store import Store

OWN = "own"
PRIORITY = {"metadata": 0, "dns": 1, "calls": 2}
"""What is open at once is counted once, in this order: the same as in the sums of the report."""
NS_PER_MS = 1e6


@dataclass(frozen=True)
class Segment:
    """A stretch of a request. `counted_ms` is what of it no other segment is counted for: they add up to the whole."""

    kind: str
    """metadata, dns, calls, own; or request, wait, response of one whose server's own questions were not seen."""
    name: str
    line: str
    basis: str
    after_ms: float
    """Its begin, after that of the request."""
    length_ms: float
    counted_ms: float
    status: int | None = None
    input: str | None = None
    first_frame: int | None = None
    last_frame: int | None = None
    withheld: str = ""


@dataclass(frozen=True)
class Dissection:
    """A request and its segments: their `counted_ms` and `gap_ms` add up to `total_ms`."""

    request: dict[str, Any]
    segments: tuple[Segment, ...]
    total_ms: float | None
    gap_ms: float
    """On the way between the vantage points of the caller and of the server: no segment's."""
    costliest: str
    """Kind of the segments that took most, empty where nothing is known."""


@dataclass(frozen=True)
class Group:
    """Requests of one shape, or of one line to one server."""

    row: dict[str, Any]
    request: str
    callees: tuple[CalleePart, ...]


@dataclass(frozen=True)
class Groups:
    """All groups, as far as they are listed."""

    items: tuple[Group, ...]
    total: int
    requests: int
    served: ServedRequestsPart | None
    """What the report says of all of them."""


def show_request(store: Store, investigation_id: str, rid: int) -> Dissection:
    """One request with its segments; raises NotFound."""
    with open_tables(store, investigation_id) as tables:
        row = request_tables.find_request(tables.query, tables.requests, rid)
        if row is None:
            raise NotFound("There is no request of that number.")
        if row["served"] is None:
            return _dissected(row, _turns(row))
        parts = request_tables.parts_of(tables.query, tables.request_parts, row["served"])
    return _dissected(row, sweep(parts, round(row["served_ms"] * NS_PER_MS)))


def group_requests(store: Store, investigation_id: str, wanted: RequestFilter) -> Groups:
    """Requests by shape; times of the filter are ns after t0. Raises NotFound before there is an analysis."""
    with open_tables(store, investigation_id) as tables:
        absolute = absolute_times(wanted, tables.t0_ns)
        rows = request_tables.group_requests(tables.query, tables.requests, absolute)
        requests = request_tables.count_requests(tables.query, tables.requests, absolute)
        served = tables.report.requests
    shapes = served.shapes if served else []
    items = []
    for row in rows:
        shape = shapes[row["shape"]] if row["shape"] is not None and row["shape"] < len(shapes) else None
        name = shape.request if shape else row["line"] or f"{row['responder']}:{row['responder_port']}"
        items.append(Group(row, name, tuple(shape.callees) if shape else ()))
    return Groups(tuple(items), rows[0]["groups"] if rows else 0, requests, served)


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
    segments += [_plain(OWN, "own work", (begin, end), "inferred") for begin, end in own]
    return tuple(sorted(segments, key=lambda s: (s.after_ms, -s.length_ms)))


def _part(part: dict[str, Any], counted_ns: int) -> Segment:
    kept = ("kind", "name", "line", "basis", "status", "input", "first_frame", "last_frame", "withheld")
    return Segment(
        **{name: part[name] for name in kept},
        after_ms=part["after_ns"] / NS_PER_MS,
        length_ms=part["length_ns"] / NS_PER_MS,
        counted_ms=counted_ns / NS_PER_MS,
    )


def _plain(kind: str, name: str, bounds_ns: tuple[float, float], basis: str = "seen") -> Segment:
    begin, end = bounds_ns
    length_ms = (end - begin) / NS_PER_MS
    return Segment(kind, name, "", basis, begin / NS_PER_MS, length_ms, length_ms)


def _turns(row: dict[str, Any]) -> tuple[Segment, ...]:
    """What is known of a request whose server's own questions were not seen: asking, waiting, answering."""
    total, asking, wait = row["duration_ms"], row["asking_ms"], row["wait_ms"]
    if total is None or asking is None or wait is None:
        return ()
    named = [
        ("request", "request sent", 0.0, asking),
        ("wait", "waiting for the first byte", asking, asking + wait),
        ("response", "response received", asking + wait, total),
    ]
    return tuple(_plain(kind, name, (a * NS_PER_MS, b * NS_PER_MS)) for kind, name, a, b in named)


def _dissected(row: dict[str, Any], segments: tuple[Segment, ...]) -> Dissection:
    total_ms = row["duration_ms"] if row["duration_ms"] is not None else row["served_ms"]
    of_kind: dict[str, float] = {}
    for segment in segments:
        of_kind[segment.kind] = of_kind.get(segment.kind, 0.0) + segment.counted_ms
    gap_ms = total_ms - sum(of_kind.values()) if segments and total_ms is not None else 0.0
    costliest = max(of_kind, key=lambda kind: of_kind[kind]) if of_kind else ""
    return Dissection(row, segments, total_ms, gap_ms, costliest)
