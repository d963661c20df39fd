"""Segments that waited for the retransmission timer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from backend.forensics.cases.case import APART, Case, Instance


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeout(Instance):
    """From the packet before it to the segment that the timer sent again."""

    sender: Literal["client", "server"]
    tail: bool = field(metadata=APART)
    """The last segment of its connection: no later one could show that it was lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DataRetransmission(Case):
    """Of one server."""

    kind: str = "data-retransmission"
    instances: tuple[Timeout, ...]
    retransmissions: int
    fast: int
    timeouts: int
    tail: int
    connections: int
    connections_total: int
    wait_median_s: float
    wait_max_s: float
