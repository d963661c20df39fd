"""Small writes held until the receiver's delayed ACK came."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from backend.forensics.cases.case import Case, Instance


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldWrite(Instance):
    """The first write, its ACK, and the write held until then."""

    waited_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DelayedAck(Case):
    """Of one server and the side that wrote."""

    kind: str = "delayed-ack"
    instances: tuple[HeldWrite, ...]
    writer: Literal["client", "server"]
    connections: int
    wait_median_ms: float
    wait_max_ms: float
    follows_median_ms: float
    round_trip_median_ms: float
    write_median_bytes: int
