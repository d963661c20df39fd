"""Destinations whose next hop had no link address: packets to them wait in the node, and are dropped or sent together.

What says so is an ICMP error "host unreachable" or "no route" about the same destination host."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backend.forensics.evidence.attempts.attempts import Attempts
from backend.forensics.evidence.attempts.icmp_errors import HOST, MEANINGS, NETWORK, IcmpErrors
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.clocks.sorted_rows import following
from backend.forensics.evidence.round_trips.held_groups import HeldGroup
from backend.forensics.evidence.round_trips.round_trips import RoundTrips, mix_keys

UNRESOLVED_NS: Final = 4_000_000_000
"""A packet waits for its next hop's link address until `mcast_solicit` probes (3, one a second) stayed unanswered. All
that wait are dropped then, and ICMP rate limits (`icmp_msgs_burst`) leave most of them without an error."""


def server_of_links(attempts: Attempts) -> NDArray[np.uint64]:
    """A number of the destination host by link, 0 for links without an attempt."""
    table = attempts.table
    server = np.zeros(int(table["link"].max(initial=-1)) + 1, np.uint64)
    server[table["link"]] = mix_keys(table["server_high"], table["server_low"])
    return server


def unreachable_hosts(attempts: Attempts, errors: IcmpErrors) -> tuple[NDArray[np.uint64], Ints]:
    """(host as `server_of_links` numbers it, common time in ns) of each error that says it cannot be reached."""
    server = server_of_links(attempts)
    about = np.isin(errors.meaning, [MEANINGS.index(HOST), MEANINGS.index(NETWORK)])
    about &= (errors.link >= 0) & (errors.link < len(server))
    return server[errors.link[about]], errors.common_ns[about]


def resolved_groups(
    groups: Iterable[HeldGroup], trips: RoundTrips, attempts: Attempts, errors: IcmpErrors
) -> tuple[HeldGroup, ...]:
    """The groups whose responder was not reported unreachable right before or meanwhile: what waits for a link address
    is answered together, too, and no queue of a host stood still."""
    found = list(groups)
    host, error_ns = unreachable_hosts(attempts, errors)
    if not found or not len(host):
        return tuple(found)
    first = np.array([int(group.rows[0]) for group in found], np.int64)
    responder = mix_keys(trips.rows["responder_high"][first], trips.rows["responder_low"][first])
    begin, end = (
        _common(attempts, trips.capture[first], np.array(times, np.int64))
        for times in zip(*((group.start_ns, group.end_ns) for group in found), strict=True)
    )
    after = following((responder, begin - UNRESOLVED_NS), (host, error_ns))
    reported = after >= 0
    reported[reported] = error_ns[after[reported]] <= end[reported]
    return tuple(
        group for group, is_reported in zip(found, reported.tolist(), strict=True) if not is_reported
    )


def _common(attempts: Attempts, capture: Ints, time_ns: Ints) -> Ints:
    """Times on the common clock; those of printed listings, which no capture's clock knows, as they are."""
    captured = capture < len(attempts.clocks.group)
    common = time_ns.copy()
    common[captured] = attempts.clocks.of_captures(capture[captured], time_ns[captured])
    return common
