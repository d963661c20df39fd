"""Connection attempts whose SYN was retransmitted."""

from __future__ import annotations

from dataclasses import dataclass

from backend.forensics.cases.case import Case


@dataclass(frozen=True, slots=True, kw_only=True)
class SynRetransmission(Case):
    """Of one destination."""

    kind: str = "syn-retransmission"
    attempts_total: int
    retransmissions: int
    schedule: str
    retry_gap_median_s: float | None
    connect_delay_median_s: float | None
    connect_delay_max_s: float | None
    connect_usual_s: float | None
    established: int
    refused: int
    unreachable: int
    unanswered: int
    lost_at: list[str]
    """Where the SYNs were lost, each with their number, most first."""
