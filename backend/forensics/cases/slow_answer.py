"""Requests that were acknowledged promptly and answered late."""

from __future__ import annotations

from dataclasses import dataclass

from backend.forensics.cases.case import Case, Instance


@dataclass(frozen=True, slots=True, kw_only=True)
class LateAnswer(Instance):
    """From the end of the request to the start of its response."""

    waited_ms: float
    acknowledged_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowAnswer(Case):
    """Of one server and shape of request."""

    kind: str = "slow-answer"
    instances: tuple[LateAnswer, ...]
    request: str
    requests_total: int
    usual_ms: float
    late_median_ms: float
    late_max_ms: float
    acknowledged_median_ms: float
    round_trip_median_ms: float | None
    clients_late: int
    timed_at_server: int
    asked_others_median_ratio: float | None
    data_sent_again: int
    spell_requests: int
    spell_late: int
    spell_by_chance: float | None
