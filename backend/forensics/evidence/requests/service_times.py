"""How long servers thought about requests, each request compared with its like.

Service time is the wait between the last byte of a request and the first byte of its response. Whoever always takes
long is as slow as always, and only its own quick answers show that an answer was late. So requests are compared within
one shape at one address and port: the same method and the same path, but for numbers and names in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from backend.forensics.captures import Capture
from backend.forensics.connections import CONNECTION_DTYPE, NEVER
from backend.forensics.evidence.attempts.attempts import Endpoint
from backend.forensics.evidence.attempts.delays import Frame
from backend.forensics.evidence.clocks.sightings import Ints, Sightings, join_rows
from backend.forensics.evidence.clocks.sorted_rows import stable_argsort
from backend.forensics.evidence.requests.acknowledged import acknowledged_after_ns
from backend.forensics.evidence.requests.exchanges import Exchanges, read_rows
from backend.forensics.evidence.requests.latency_breakdown import LatencyBreakdown
from backend.forensics.evidence.requests.metadata_calls import MetadataUse
from backend.forensics.evidence.requests.request_shapes import template
from backend.forensics.messages import REQUEST_SEEN, RESPONSE_SEEN

Bools = NDArray[np.bool_]

LATE_LEAST_NS = 500_000_000
"""Below it an answer may be one that was lost and sent again once or twice (Linux' shortest timer is 200 ms)."""
LATE_TIMES = 10
"""How many times its usual service time a late answer takes at least."""
USUAL_PERCENTILE = 20
"""The usual time: low, so that a fifth of undisturbed requests is enough."""
STOPPED_PERCENTILE = 5
"""The same at a server whose host stopped a control group in most periods: nearly every request waits then."""
_COLUMNS = (
    "connection",
    "marks",
    "from_client",
    "request_sequence",
    "request_bytes",
    "request_last_ns",
    "response_first_ns",
    "request_last_frame",
    "response_first_frame",
    "request_first_frame",
)


@dataclass(frozen=True)
class ShapeTimes:
    """The answered requests of one shape at one server, by start; the arrays run beside one another.

    Only shapes with a late answer are held."""

    server: Endpoint
    request: str
    """``GET /v1/users/*``."""
    start_ns: Ints
    """On the reference clock."""
    waited_ns: Ints
    usual_ns: int
    usual_percentile: int
    """Which percentile of `waited_ns` `usual_ns` is."""
    late: Bools
    acknowledged_ns: Ints
    """From a late request's end to its bare acknowledgement, NEVER where none was seen and for the others."""
    round_trip_ns: Ints
    """SYN to SYN-ACK of the connection, NEVER where not seen."""
    client: Ints
    """Number of the asking address (`Exchanges.addresses`)."""
    at_server: Bools
    """Timed at a vantage point nearer to the server than the first that saw the request."""
    place: Ints
    """Number of the place where it was timed."""
    asked_others: NDArray[np.float64]
    """Share of the time in which the server itself waited for others; NaN where that cannot be known."""
    sent_again: Ints
    """Data segments sent again on the request's connection."""
    frames: tuple[tuple[Frame, Frame], ...]
    """Of the late ones, in order: of the request's end and of the answer's begin."""

    @property
    def late_at(self) -> Ints:
        """Positions of the late ones."""
        return np.flatnonzero(self.late)


@dataclass(frozen=True)
class _Timed:
    """Requests with their service times, by start. `exchange` are rows of `Exchanges`, `node` of all connections."""

    exchange: Ints
    node: Ints
    waited_ns: Ints
    columns: Mapping[str, Ints]
    nodes: NDArray[np.void]

    def of(self, rows: Ints) -> _Timed:
        chosen = {name: column[rows] for name, column in self.columns.items()}
        return _Timed(self.exchange[rows], self.node[rows], self.waited_ns[rows], chosen, self.nodes)

    @property
    def server(self) -> Endpoint:
        """Of the first request; all of one group have the same."""
        end = "server" if self.columns["from_client"][0] == 1 else "client"
        row = self.nodes[self.node[0]]
        return Endpoint(*(int(row[f"{end}_{part}"]) for part in ("high", "low", "port")))


@dataclass(frozen=True)
class _Late:
    """What is known of one shape before its requests are looked at."""

    request: str
    late: Bools
    usual_ns: int
    usual_percentile: int
    asked_others: NDArray[np.float64]


def measure_service_times(
    captures: Sequence[Capture],
    sightings: Sightings,
    exchanges: Exchanges,
    uses: Sequence[MetadataUse],
    breakdown: Callable[[], LatencyBreakdown],
    mostly_stopped: Callable[[Endpoint], bool],
) -> tuple[ShapeTimes, ...]:
    """Every shape with a late answer, by what its late answers took longer than usual; calls to metadata services
    (`uses`) are left out. Time and memory are linear in the HTTP messages; `breakdown` is asked for only where an
    answer was late. `mostly_stopped`: whether that server's host stopped a control group in most periods."""
    timed = _timed(captures, sightings, exchanges, uses)
    if not (timed.waited_ns >= LATE_LEAST_NS).any():
        return ()
    timed, server = _at_servers_with_late(timed)
    names, name_of = _names(captures, exchanges, timed.exchange)
    key = np.unique(server * len(names) + name_of, return_inverse=True)[1].reshape(-1)
    order = stable_argsort(key)
    groups = np.split(order, np.flatnonzero(np.diff(key[order])) + 1)
    asked_others = _asked_others(breakdown(), len(exchanges))
    found = []
    for rows in groups:
        if not (timed.waited_ns[rows] >= LATE_LEAST_NS).any():
            continue
        part = timed.of(rows)
        percentile = STOPPED_PERCENTILE if mostly_stopped(part.server) else USUAL_PERCENTILE
        late, usual_ns = _late(part.waited_ns, percentile)
        if late.any():
            name, others = names[int(name_of[rows[0]])], asked_others[part.exchange]
            found.append(_shape(captures, exchanges, part, _Late(name, late, usual_ns, percentile, others)))
    return tuple(sorted(found, key=lambda s: (-int(s.waited_ns[s.late].sum()), str(s.server), s.request)))


def _late(waited_ns: Ints, percentile: int) -> tuple[Bools, int]:
    usual_ns = int(np.percentile(waited_ns, percentile))
    return waited_ns >= max(LATE_LEAST_NS, LATE_TIMES * usual_ns), usual_ns


def _timed(
    captures: Sequence[Capture], sightings: Sightings, exchanges: Exchanges, uses: Sequence[MetadataUse]
) -> _Timed:
    texts = read_rows(captures, exchanges.server_capture, exchanges.server_row, _COLUMNS)
    columns = {name: _numbers(texts[name]) for name in _COLUMNS}
    both = REQUEST_SEEN | RESPONSE_SEEN
    kept = (columns["marks"] & both) == both
    kept &= columns["request_last_ns"] != NEVER
    kept &= columns["response_first_ns"] >= columns["request_last_ns"]
    for use in uses:
        kept[use.calls.exchange] = False
    rows = np.flatnonzero(kept)
    rows = rows[stable_argsort(exchanges.server_start_ns[rows])]
    columns = {name: column[rows] for name, column in columns.items()}
    offset = np.array(sightings.node_offset or (0,), np.int64)
    node = offset[exchanges.server_capture[rows]] + columns["connection"]
    waited_ns = columns["response_first_ns"] - columns["request_last_ns"]
    nodes = join_rows([c.connections for c in captures], CONNECTION_DTYPE)
    return _Timed(rows, node, waited_ns, columns, nodes)


def _numbers(column: pa.ChunkedArray) -> Ints:
    return np.asarray(column.to_numpy()).astype(np.int64) if len(column) else np.zeros(0, np.int64)


def _at_servers_with_late(timed: _Timed) -> tuple[_Timed, Ints]:
    """(requests of servers that were late once, the number of each one's server)."""
    rows, by_client = timed.nodes[timed.node], timed.columns["from_client"] == 1
    ends = [
        np.where(by_client, rows[f"server_{part}"], rows[f"client_{part}"]).astype(np.uint64)
        for part in ("high", "low", "port")
    ]
    server = np.unique(np.stack(ends, axis=1), axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)
    kept = np.flatnonzero(np.isin(server, np.unique(server[timed.waited_ns >= LATE_LEAST_NS])))
    return timed.of(kept), server[kept]


def _names(captures: Sequence[Capture], exchanges: Exchanges, at: Ints) -> tuple[list[str], Ints]:
    """(different shapes, which of them each request has)."""
    texts = read_rows(captures, exchanges.server_capture[at], exchanges.server_row[at], ("method", "path"))
    lines: dict[str, str] = {}
    number: dict[str, int] = {}
    found = []
    for method, path in zip(texts["method"].to_pylist(), texts["path"].to_pylist(), strict=True):
        line = f"{method} {path}"
        name = lines.get(line)
        if name is None:
            name = lines.setdefault(line, template(line))
        found.append(number.setdefault(name, len(number)))
    return list(number), np.array(found, np.int64)


def _asked_others(breakdown: LatencyBreakdown, exchanges_total: int) -> NDArray[np.float64]:
    """Of each exchange: the share of its time in which its server waited for others, NaN where nothing shows."""
    share = np.full(exchanges_total, np.nan)
    seen = np.flatnonzero(breakdown.exchange >= 0)
    taken = breakdown.part_ns[:, seen].sum(axis=0) / np.maximum(breakdown.total_ns[seen], 1)
    share[breakdown.exchange[seen]] = taken
    return share


def _shape(captures: Sequence[Capture], exchanges: Exchanges, part: _Timed, found: _Late) -> ShapeTimes:
    columns, rows, late = part.columns, part.nodes[part.node], found.late
    opened = (rows["syn_ns"] != NEVER) & (rows["syn_ack_ns"] >= rows["syn_ns"])
    at = np.flatnonzero(late)
    capture = exchanges.server_capture[part.exchange[at]]
    acknowledged = np.full(len(late), NEVER, np.int64)
    acknowledged[at] = acknowledged_after_ns(captures, capture, {n: c[at] for n, c in columns.items()})
    frames = (columns[f"{name}_frame"][at].tolist() for name in ("request_last", "response_first"))
    return ShapeTimes(
        server=part.server,
        request=found.request,
        start_ns=exchanges.server_start_ns[part.exchange],
        waited_ns=part.waited_ns,
        usual_ns=found.usual_ns,
        usual_percentile=found.usual_percentile,
        late=late,
        acknowledged_ns=acknowledged,
        round_trip_ns=np.where(opened, rows["syn_ack_ns"] - rows["syn_ns"], NEVER).astype(np.int64),
        client=exchanges.requester[part.exchange],
        at_server=(exchanges.server_vantage != exchanges.vantage)[part.exchange],
        place=exchanges.server_vantage[part.exchange],
        asked_others=found.asked_others,
        sent_again=rows["data_retransmissions"].astype(np.int64),
        frames=tuple(
            ((captures[n].name, asked), (captures[n].name, answered))
            for n, asked, answered in zip(capture.tolist(), *frames, strict=True)
        ),
    )
