"""How soon the responder's kernel acknowledged a request that its application answered late."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from backend.forensics.captures import Capture
from backend.forensics.connections import NEVER
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.clocks.sorted_rows import distinct, lexsort
from backend.forensics.round_trips import DATA

_COLUMNS: Final = ("connection", "sequence", "kind", "sent_ns", "rtt_ns", "from_client")


def acknowledged_after_ns(captures: Sequence[Capture], capture: Ints, requests: Mapping[str, Ints]) -> Ints:
    """From the last byte of each request to an acknowledgement without data, NEVER where none was timed.

    `requests` are columns of HTTP_DTYPE: `connection`, `from_client`, `request_sequence`, `request_bytes` and
    `request_last_ns`. One pass over the round trips of each capture; memory: those of these connections."""
    found = np.full(len(capture), NEVER, np.int64)
    for number in distinct(capture).tolist():
        mine = np.flatnonzero(capture == number)
        own = {name: requests[name][mine] for name in requests}
        found[mine] = _in_one(captures[number], own)
    return found


def _in_one(capture: Capture, requests: Mapping[str, Ints]) -> Ints:
    samples = _samples(capture, distinct(requests["connection"]))
    connection, sequence, answered_ns, side = samples
    key = connection << 1 | side
    order = lexsort((answered_ns, key))
    key, sequence, answered_ns = key[order], sequence[order], answered_ns[order]
    wanted = requests["connection"] << 1 | requests["from_client"]
    begin, end = np.searchsorted(key, wanted), np.searchsorted(key, wanted, side="right")
    found = np.full(len(wanted), NEVER, np.int64)
    for n, (first, last) in enumerate(zip(begin.tolist(), end.tolist(), strict=True)):
        inside = (sequence[first:last] - int(requests["request_sequence"][n])) & 0xFFFFFFFF
        mine = np.flatnonzero(inside < max(1, int(requests["request_bytes"][n])))
        if len(mine):
            # Of a request in several packets the last that was timed is the nearest to its end.
            answered = int(answered_ns[first:last][mine].max())
            found[n] = max(0, answered - int(requests["request_last_ns"][n]))
    return found


def _samples(capture: Capture, connections: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """(connection, sequence, time of the acknowledgement, from the client) of the data samples of these
    connections."""
    parts: list[tuple[Ints, ...]] = [tuple(np.zeros(0, np.int64) for _ in range(4))]
    for batch in capture.round_trips.batches(_COLUMNS):
        connection, sequence, kind, sent, rtt, side = (
            batch.column(name).to_numpy().astype(np.int64) for name in _COLUMNS
        )
        kept = (kind == DATA) & np.isin(connection, connections)
        parts.append((connection[kept], sequence[kept], (sent + rtt)[kept], side[kept]))
    connection, sequence, answered, side = (np.concatenate(c) for c in zip(*parts, strict=True))
    return connection, sequence, answered, side
