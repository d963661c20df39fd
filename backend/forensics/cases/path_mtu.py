"""Large segments that did not pass while small ones did."""

from __future__ import annotations

from dataclasses import dataclass, field

from backend.forensics.cases.case import APART, Case, Instance
from backend.forensics.evidence.attempts.retried import Endpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class StuckSegment(Instance):
    """Its repetitions in one connection."""

    segment_bytes: int
    repeats: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PathMtu(Case):
    """Of one sending and one receiving host."""

    kind: str = "path-mtu"
    instances: tuple[StuckSegment, ...]
    failing_segment_bytes: int
    passed_segment_bytes: int
    packet_bytes: int
    handshakes: int
    """Connections whose handshake was captured."""
    icmp_messages: int
    icmp_mtu_bytes: int | None
    smaller_connections: int
    """Connections in which the same bytes passed afterwards, in smaller segments."""
    smaller_segment_bytes: int | None
    """The largest of these."""
    overhead_bytes: list[str]
    sender: Endpoint = field(metadata=APART)
    receiver: Endpoint = field(metadata=APART)
    overheads: tuple[tuple[int, str], ...] = field(metadata=APART)
    """(bytes, encapsulation) of those that would make the packet larger than Ethernet takes."""
