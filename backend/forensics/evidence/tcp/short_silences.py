"""Data that was sent again and never answered, and how long its connection had been silent before.

Signals show long silences only. For the few connections that ended in such data the samples of round trips say when
the last of its packets was answered, and which silences the connections to the same server survived."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backend.forensics.captures import Capture
from backend.forensics.evidence.clocks.matched_packets import mix
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.clocks.sorted_rows import lexsort
from backend.forensics.evidence.tcp.tcp_anomalies import TcpAnomalies
from backend.forensics.signals import SENT_AGAIN

REPEATS_LEAST = 2
"""One repetition is a lost segment."""
_COLUMNS = ("connection", "sent_ns", "rtt_ns")


@dataclass(frozen=True)
class Unanswered:
    """`at` are positions in `TcpAnomalies.rows`: one segment of which only copies are signals."""

    at: tuple[int, ...]
    silence_ns: int
    """Between the last answer in its connection and its first copy."""
    survived_ns: int
    """The longest silence that connections to the same server survived."""


@dataclass(frozen=True)
class _Trips:
    """Answered packets of the connections to some servers, by connection (of all tables) and time."""

    node: Ints
    sent_ns: Ints
    done_ns: Ints


def find_unanswered(captures: Sequence[Capture], anomalies: TcpAnomalies) -> list[Unanswered]:
    """By connection; those without an answer before or with one after are left out."""
    repeated = _last_repeated(anomalies)
    if not repeated:
        return []
    server = _servers(anomalies.connections)
    trips = _answered(captures, np.isin(server, server[list(repeated)]))
    survived = _survived(trips, server)
    found = []
    for node, at in sorted(repeated.items()):
        first, last = np.searchsorted(trips.node, (node, node + 1))
        begun_ns = int(anomalies.rows["time_ns"][at[0]] - anomalies.rows["silence_ns"][at[0]])
        done_ns = trips.done_ns[first:last]
        if len(done_ns) and int(done_ns.max()) <= begun_ns:
            most_ns = survived.get(int(server[node]), 0)
            found.append(Unanswered(at, begun_ns - int(done_ns.max()), most_ns))
    return found


def _servers(table: NDArray[np.void]) -> NDArray[np.uint64]:
    return mix(*(table[f"server_{part}"] for part in ("high", "low", "port")))


def _last_repeated(anomalies: TcpAnomalies) -> dict[int, tuple[int, ...]]:
    """By connection: the copies of the last segment that it sent again, where there are several."""
    rows, found = anomalies.rows, dict[int, list[int]]()
    for at in np.flatnonzero((rows["kind"] & SENT_AGAIN) != 0).tolist():
        node = int(anomalies.node[at])
        before = found.get(node)
        same = before is not None and all(
            rows[name][before[0]] == rows[name][at] for name in ("sequence", "from_client")
        )
        found[node] = [*before, at] if same and before is not None else [at]
    return {node: tuple(at) for node, at in found.items() if len(at) >= REPEATS_LEAST}


def _answered(captures: Sequence[Capture], wanted: NDArray[np.bool_]) -> _Trips:
    parts: list[list[Ints]] = [[], [], []]
    begin = 0
    for capture in captures:
        mine = wanted[begin : begin + len(capture.connections)]
        for batch in capture.round_trips.batches(_COLUMNS) if mine.any() else ():
            connection, sent_ns, rtt_ns = (batch.column(name).to_numpy() for name in _COLUMNS)
            known = connection < len(mine)
            known[known] = mine[connection[known]]
            node = connection[known].astype(np.int64) + begin
            for part, column in zip(
                parts, (node, sent_ns[known], sent_ns[known] + rtt_ns[known]), strict=True
            ):
                part.append(column)
        begin += len(capture.connections)
    node, sent_ns, done_ns = (np.concatenate(part) if part else np.zeros(0, np.int64) for part in parts)
    order = lexsort((sent_ns, node))
    return _Trips(node[order], sent_ns[order], done_ns[order])


def _survived(trips: _Trips, server: NDArray[np.uint64]) -> dict[int, int]:
    """By server: the longest time between an answer and the next packet that was answered."""
    follows = trips.node[1:] == trips.node[:-1]
    gaps_ns = (trips.sent_ns[1:] - trips.done_ns[:-1])[follows]
    of = server[trips.node[1:][follows]]
    order = lexsort((gaps_ns, of))
    last = np.flatnonzero(np.append(of[order][1:] != of[order][:-1], True)) if len(order) else order
    return dict(zip(of[order][last].tolist(), gaps_ns[order][last].tolist(), strict=True))
