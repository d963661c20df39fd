"""Do other packets get lost as often as SYNs? It tells a lossy path from something that chooses SYNs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from backend.forensics.captures import Capture
from backend.forensics.evidence.destinations import Destination
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


def compare_losses(captures: Sequence[Capture], destination: Destination) -> LossRates:
    """Data is counted where the SYNs were seen last; over all connections with that host in either role."""
    place, host = destination.outermost, destination.endpoint
    table = captures[place.capture].connections
    here = (table["protocol"] == TCP) & (table["vantage"] == place.index)
    as_server = (table["server_high"] == host.high) & (table["server_low"] == host.low)
    as_client = (table["client_high"] == host.high) & (table["client_low"] == host.low)
    with_host = table[here & (as_server | as_client)]
    segments = int(with_host["data_segments"].sum())
    again = min(segments, int(with_host["data_retransmissions"].sum()))
    lost = len(destination.losses)
    syns = max(lost, destination.tried + sum(len(a.transmissions) - 1 for a in destination.attempts))
    if not segments:
        return LossRates(lost, syns, again, segments, 1.0, 1.0)
    counts = ((lost, syns - lost), (again, segments - again))
    more, other = fisher_exact_p(counts, "greater"), fisher_exact_p(counts, "two-sided")
    return LossRates(lost, syns, again, segments, more, other)
