"""Windows that a receiver closed while its sender had data."""

from __future__ import annotations

from dataclasses import dataclass, field

from backend.forensics.cases.case import APART, Case, Instance
from backend.forensics.evidence.attempts.retried import Endpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class Closure(Instance):
    """From the zero window to the window update, or as long as the capture shows."""

    opened: bool
    receiver: Endpoint = field(metadata=APART)


@dataclass(frozen=True, slots=True, kw_only=True)
class ZeroWindow(Case):
    """Of one receiving host."""

    kind: str = "zero-window"
    instances: tuple[Closure, ...]
    closed_total_s: float
    closed_max_s: float
    closed_median_s: float
    never_opened: int
