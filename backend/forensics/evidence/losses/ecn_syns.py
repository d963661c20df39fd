"""Whether the SYNs that offered ECN are the lost ones: some devices drop them, others clear the flags.

RFC 3168 section 6.1.1: a client offers ECN by a SYN with ECE and CWR; section 6.1.1.1: where no answer comes, it sends
the SYN again without them, which Linux does (`net.ipv4.tcp_ecn_fallback`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from backend.forensics.evidence.absence.losses import ANSWERED, Losses
from backend.forensics.evidence.attempts.attempts import Attempts, Endpoint
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.clocks.sorted_rows import first_rows

OFFER: Final = 0xC0
"""ECE and CWR, bits of the TCP flags."""


@dataclass(frozen=True)
class EcnSyns:
    """SYNs to one server, whatever number of vantage points saw them, by what they offered and what became of them."""

    offered_lost: int
    offered_passed: int
    plain_lost: int
    plain_passed: int
    frames: tuple[tuple[str, int], ...]
    """(input, frame) of the lost SYNs that offered ECN, where they were seen first."""


def count_ecn_syns(attempts: Attempts, losses: Losses, server: Endpoint) -> EcnSyns:
    """`server` as the client named it. A SYN of which an answer was captured was not lost on its way there."""
    seen = attempts.sightings
    rows = _first_seen(attempts, server)
    offers = (seen.rows["tcp_flags"][rows] & OFFER) == OFFER
    silent = losses.chosen(~losses.is_kind(*ANSWERED))
    lost = np.isin(seen.transmission[rows], seen.transmission[silent.rows])
    of_offered = rows[offers & lost]
    places = [seen.places[n] for n in seen.place[of_offered].tolist()]
    frames = zip((place.input for place in places), seen.rows["frame"][of_offered].tolist(), strict=True)
    return EcnSyns(
        offered_lost=int((offers & lost).sum()),
        offered_passed=int((offers & ~lost).sum()),
        plain_lost=int((~offers & lost).sum()),
        plain_passed=int((~offers & ~lost).sum()),
        frames=tuple(frames),
    )


def _first_seen(attempts: Attempts, server: Endpoint) -> Ints:
    """The row of each SYN to `server`, the first of its transmission."""
    seen = attempts.sightings
    rows = np.sort(np.concatenate([attempts.syns_at(place, server) for place in attempts.places]))
    first: Ints = rows[np.sort(first_rows(seen.transmission[rows]))]
    return first
