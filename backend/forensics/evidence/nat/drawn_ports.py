"""SYNs lost while another one was given a port of the same short range.

Where a rule names a range and the client's own port lies outside, the kernel draws a port for every connection
(net/netfilter/nf_nat_core.c, nf_nat_l4proto_unique_tuple). Nobody reserves what is drawn before the entry is stored:
of two that draw at once and meet, the second is dropped. The fewer ports are free, the more often they meet."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from backend.forensics.evidence.absence.losses import Loss, Losses
from backend.forensics.evidence.attempts.attempts import Attempts, Endpoint
from backend.forensics.evidence.clocks.sightings import Ints, Place
from backend.forensics.evidence.nat.port_pools import PortPool

IN_USE_RATIO = 0.5
"""Half of the range in use at least: among few free ports two draws meet in one case of that few."""


@dataclass(frozen=True)
class DrawnPort:
    """The connection that passed the NAT beside a lost SYN, and the range that both drew from."""

    loss: Loss
    pool: PortPool
    source: Endpoint
    """Of the one that passed, as the vantage point behind the NAT saw it."""
    place: Place
    frame: int
    distance_ns: int
    """From its sighting there to the lost SYN's last one."""

    @property
    def free(self) -> int:
        """Ports of the range that were not in use."""
        return self.pool.range.ports - self.pool.in_use_at(self.loss.transmission.time_ns)


def find_drawn(
    attempts: Attempts,
    losses: Losses,
    pools: Sequence[PortPool],
    explained: Collection[int],
    *,
    within_ns: int,
) -> dict[int, DrawnPort]:
    """By index of the loss; `explained` are those with a rival of the same port, or without any free port."""
    short = [pool for pool in pools if pool.range.basis == "rule"]
    passed = _Passed(attempts)
    found: dict[int, DrawnPort] = {}
    if not short:
        return found
    for number in np.flatnonzero(losses.is_kind("inside") & losses.rewritten & losses.again).tolist():
        loss = losses[number]
        pool = _pool_of(loss, short) if number not in explained else None
        nearest = passed.nearest(loss, within_ns) if pool is not None else None
        if pool is not None and nearest is not None:
            found[number] = DrawnPort(loss, pool, *nearest)
    return found


def _pool_of(loss: Loss, pools: Sequence[PortPool]) -> PortPool | None:
    """The half-used range that the lost SYN had to draw from."""
    if loss.inside is None or not loss.rewritten or loss.retry is None:
        return None
    out = loss.retry.last
    for pool in pools:
        own = (pool.outer_high, pool.outer_low) == (out.source.high, out.source.low)
        kept = pool.range.first <= loss.transmission.first.source.port <= pool.range.last
        in_use = pool.in_use_at(loss.transmission.time_ns)
        if (
            own
            and not kept
            and pool.destination == out.destination
            and in_use >= IN_USE_RATIO * pool.range.ports
        ):
            return pool
    return None


class _Passed:
    """First SYNs by (place, destination), sorted by time."""

    def __init__(self, attempts: Attempts) -> None:
        self._attempts, self._sightings = attempts, attempts.sightings
        self._groups: dict[tuple[int, int, int, int], tuple[Ints, Ints]] = {}

    def nearest(self, loss: Loss, within_ns: int) -> tuple[Endpoint, Place, int, int] | None:
        """(source, place, frame, distance) of the nearest SYN of another connection behind the NAT."""
        assert loss.inside is not None
        assert loss.retry is not None
        place = loss.inside[1]
        rows, times = self._group(place, loss.retry.last.destination)
        at_ns = loss.transmission.last.time_ns
        low, high = np.searchsorted(times, [at_ns - within_ns, at_ns + within_ns + 1])
        near = [row for row in rows[low:high].tolist() if self._sightings.link[row] != loss.attempt.link]
        if not near:
            return None
        row = min(near, key=lambda r: (abs(int(self._sightings.time_ns[r]) - at_ns), r))
        packet = self._sightings.rows[row]
        source = Endpoint(int(packet["source_high"]), int(packet["source_low"]), int(packet["source_port"]))
        return source, place, int(packet["frame"]), abs(int(self._sightings.time_ns[row]) - at_ns)

    def _group(self, place: Place, to: Endpoint) -> tuple[Ints, Ints]:
        key = (place.number, to.high, to.low, to.port)
        if key not in self._groups:
            time_ns = self._sightings.time_ns
            rows = self._attempts.syns_at(place, to)
            rows = rows[np.argsort(time_ns[rows], kind="stable")]
            self._groups[key] = rows, time_ns[rows]
        return self._groups[key]
