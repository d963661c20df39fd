"""Calls of one caller to token services, and how they meet the requests that it serves."""

from __future__ import annotations

from dataclasses import dataclass

from backend.forensics.cases.case import Case


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenServiceCalls(Case):
    """Of one caller. Each field of its own is a measure of the finding, by its name."""

    kind: str = "token-service-calls"
    service: str
    """What was called most: ``AWS STS, global endpoint``."""
    served_requests: int
    served_requests_with_calls: int
    call_time_s: float
    share_of_service_time_ratio: float
    share_of_service_time_p95_ratio: float
    call_median_ms: float
    call_p95_ms: float
    round_trip_median_ms: float | None
    request_with_call_median_ms: float
    request_without_call_median_ms: float | None
    calls_needed: float
    chance_p_value: float
