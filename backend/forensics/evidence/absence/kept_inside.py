"""SYNs that a host received and did not send on, while it did so with other SYNs of the same sources.

A capture of all interfaces of a host (Linux cooked v2) shows each packet that is forwarded twice, the second time as
outgoing: one that comes in and never goes out was for the host itself, or went missing inside it."""

from __future__ import annotations

import numpy as np

from backend.forensics.evidence.absence.destination import Destination
from backend.forensics.evidence.attempts.attempts import Attempts
from backend.forensics.evidence.clocks.matched_packets import mix
from backend.forensics.evidence.clocks.sightings import Place
from backend.forensics.packets import HINT_INCOMING, HINT_OUTGOING


def sent_on_otherwise(attempts: Attempts, d: Destination) -> Place | None:
    """Where other SYNs of these sources left the host that kept these; None where that is not shown."""
    place, seen, sent = d.outermost, attempts.sightings, attempts.retried.sent
    first = int(d.losses.sent[0]) if d.losses else -1
    own = (
        sent.rows[sent.row_start[first] : sent.row_start[first + 1]] if first >= 0 else np.zeros(0, np.int64)
    )
    if HINT_INCOMING not in seen.rows["direction_hint"][own[seen.place[own] == place.number]]:
        return None
    here = np.array([p.machine == place.machine for p in attempts.places], np.bool_)[seen.place]
    here &= seen.transmission >= 0
    hint, link = seen.rows["direction_hint"], seen.link
    mine = here & np.isin(link, d.links)
    if np.any(hint[mine] == HINT_OUTGOING):
        return None
    source = mix(seen.rows["source_high"], seen.rows["source_low"])
    same = here & ~mine & (hint == HINT_INCOMING) & np.isin(source, source[mine])
    left = here & (hint == HINT_OUTGOING) & np.isin(link, link[same]) & (seen.place != place.number)
    numbers, counts = np.unique(seen.place[left], return_counts=True)
    return attempts.places[int(numbers[np.argmax(counts)])] if len(numbers) else None
