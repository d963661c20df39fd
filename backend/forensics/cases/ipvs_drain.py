"""New connections to a real server that was drained."""

from __future__ import annotations

from dataclasses import dataclass, field

from backend.forensics.cases.case import APART, Case
from backend.forensics.evidence.attempts.retried import Endpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class IpvsDrain(Case):
    """Of one real server and service."""

    kind: str = "ipvs-drain"
    real_server: str
    service: str
    weight: int | None
    connections_after_removal: int
    suffered: int
    drained_at: str
    removed_at: str | None
    drained: Endpoint = field(metadata=APART)
    """The real server."""
