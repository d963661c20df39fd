"""Do other packets get lost as often as SYNs? It tells a lossy path from something that chooses SYNs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backend.forensics.captures import Capture
from backend.forensics.evidence.destination import Destination
from backend.forensics.evidence.grouped_rows import is_among
from backend.forensics.evidence.matched_packets import mix
from backend.forensics.evidence.sightings import Ints, Place
from backend.forensics.packets import TCP
from backend.forensics.significance import fisher_exact_p


@dataclass(frozen=True)
class LossRates:
    """SYNs towards one destination against data segments exchanged with its host, at one vantage point.

    `p_syns_more`: probability (Fisher's exact test) that SYNs are lost so much more often than data by chance; `p_like`
    the two-sided one. Both are 1 without data."""

    syns_lost: int
    syns: int
    data_again: int
    data_segments: int
    p_syns_more: float
    p_like: float

    @property
    def in_words(self) -> str:
        return (
            f"{self.syns_lost:,} of {self.syns:,} SYNs and {self.data_again:,} of {self.data_segments:,} data "
            f"segments were lost"
        )


class DataOfHosts:
    """TCP data segments, and those sent again, of all connections with each host in either role. Each vantage point is
    counted once, when it is first asked about."""

    def __init__(self, captures: Sequence[Capture]) -> None:
        self._captures = captures
        self._counted: dict[tuple[int, int], tuple[NDArray[np.uint64], Ints, Ints]] = {}

    def count(self, place: Place, hosts: NDArray[np.uint64]) -> tuple[int, int]:
        """(segments, sent again) of these hosts together; `hosts` are keys of addresses (`matched_packets.mix`)."""
        known, segments, again = self._at(place)
        hosts = np.unique(hosts)
        hosts = hosts[is_among(hosts, known)]
        at = np.searchsorted(known, hosts)
        return int(segments[at].sum()), int(again[at].sum())

    def _at(self, place: Place) -> tuple[NDArray[np.uint64], Ints, Ints]:
        key = place.capture, place.index
        if key not in self._counted:
            table = self._captures[place.capture].connections
            chosen = (table["protocol"] == TCP) & (table["vantage"] == place.index)
            rows = table[chosen & (table["data_segments"] > 0)]
            server, client = (mix(rows[f"{end}_high"], rows[f"{end}_low"]) for end in ("server", "client"))
            other = client != server
            hosts = np.concatenate([server, client[other]])
            known, of = np.unique(hosts, return_inverse=True)
            counts = []
            for name in ("data_segments", "data_retransmissions"):
                values = rows[name].astype(np.int64)
                counts.append(np.zeros(len(known), np.int64))
                np.add.at(counts[-1], of.reshape(-1), np.concatenate([values, values[other]]))
            self._counted[key] = known, counts[0], counts[1]
        return self._counted[key]


def compare_losses(data: DataOfHosts, destination: Destination) -> LossRates:
    """Data is counted where the SYNs were seen last; over all connections with that host in either role."""
    segments, again = data.count(destination.outermost, destination.hosts)
    again = min(segments, again)
    lost = len(destination.losses)
    syns = max(lost, destination.tried + destination.syns - len(destination.attempts))
    if not segments:
        return LossRates(lost, syns, again, segments, 1.0, 1.0)
    counts = ((lost, syns - lost), (again, segments - again))
    more, other = fisher_exact_p(counts, "greater"), fisher_exact_p(counts, "two-sided")
    return LossRates(lost, syns, again, segments, more, other)
