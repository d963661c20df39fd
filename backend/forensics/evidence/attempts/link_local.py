"""Packets to the services of a cloud that are reached over link-local addresses, by vantage point and second.

Only the connection tables are read: a flow's packets are spread evenly over its time, so seconds are exact for flows of
less than a second (a lookup) and an average for longer ones. A vantage point is judged by itself: what passes a pod's
interface passes the node's, too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backend.forensics.addresses import address_halves
from backend.forensics.captures import Capture
from backend.forensics.evidence.attempts.delays import Frame
from backend.forensics.evidence.clocks.sightings import Ints, Place

AWS_ONLY: Final = {
    "169.254.169.253": "DNS",
    "169.254.169.123": "NTP",
    "fd00:ec2::253": "DNS",
    "fd00:ec2::123": "NTP",
    "fd00:ec2::254": "metadata",
}
"""Addresses that no other cloud uses (docs.aws.amazon.com: VPC DNS, Amazon Time Sync Service, instance metadata)."""
SHARED: Final = {"169.254.169.254": "metadata"}
"""AWS, and others without this limit (Google also answers DNS there)."""
SECOND_NS: Final = 1_000_000_000
LONGEST_S: Final = 3_600
"""Flows longer than this say nothing of single seconds."""


@dataclass(frozen=True)
class LinkLocalTraffic:
    """What one vantage point saw leave for such addresses. `packets[n]` left in the second that begins at
    `first_ns` + n s."""

    place: Place
    first_ns: int
    packets: NDArray[np.float64]
    by_service: dict[str, int]
    aws: bool
    """An address that only AWS has is among them."""
    flows: Ints
    """Rows of the capture's connection table, by start."""
    starts_ns: Ints
    frames: tuple[Frame, ...]
    """Of the first packet of each flow."""


def count_link_local(captures: Sequence[Capture], places: Sequence[Place]) -> tuple[LinkLocalTraffic, ...]:
    """By place, those with any such packet. Linear in the connections."""
    names = {address_halves(text): name for text, name in {**AWS_ONLY, **SHARED}.items()}
    only = {address_halves(text) for text in AWS_ONLY}
    flows = [_flows(capture, list(names)) for capture in captures]
    found = []
    for place in places:
        table, mine = captures[place.capture].connections, flows[place.capture]
        mine = mine[table["vantage"][mine] == place.index]
        if not len(mine):
            continue
        rows, by_service, aws = table[mine], dict[str, int](), False
        for halves, service in names.items():
            here = (rows["server_high"] == halves[0]) & (rows["server_low"] == halves[1])
            if here.any():
                aws |= halves in only
                by_service[service] = by_service.get(service, 0) + int(rows["client_packets"][here].sum())
        found.append(_traffic(captures[place.capture], place, mine, by_service, aws))
    return tuple(found)


def _flows(capture: Capture, services: Sequence[tuple[int, int]]) -> Ints:
    """Rows of the connection table that go to one of these addresses."""
    table = capture.connections
    chosen = np.zeros(len(table), np.bool_)
    for high, low in services:
        chosen |= (table["server_low"] == low) & (table["server_high"] == high)
    return np.flatnonzero(chosen & (table["client_packets"] > 0))


def _traffic(
    capture: Capture, place: Place, flows: Ints, by_service: dict[str, int], aws: bool
) -> LinkLocalTraffic:
    rows = capture.connections[flows]
    order = np.argsort(rows["first_ns"], kind="stable")
    flows, rows = flows[order], rows[order]
    first_ns = int(rows["first_ns"].min())
    begin = (rows["first_ns"] - first_ns) // SECOND_NS
    end = np.maximum(begin, (rows["last_ns"] - first_ns) // SECOND_NS)
    kept = end - begin < LONGEST_S
    begin, end, sent = begin[kept], end[kept], rows["client_packets"][kept].astype(np.float64)
    # A difference array: each flow adds its rate to the seconds from its first to its last.
    steps = np.zeros(int(end.max(initial=0)) + 2)
    rate = sent / (end - begin + 1)
    np.add.at(steps, begin, rate)
    np.add.at(steps, end + 1, -rate)
    frames = tuple((capture.name, int(frame)) for frame in rows["first_frame"].tolist())
    return LinkLocalTraffic(
        place,
        first_ns,
        np.cumsum(steps)[:-1],
        by_service,
        aws,
        flows,
        rows["first_ns"].astype(np.int64),
        frames,
    )
