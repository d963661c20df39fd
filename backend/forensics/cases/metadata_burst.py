"""Metadata calls of one caller, and how they meet the requests that it serves."""

from __future__ import annotations

from dataclasses import dataclass

from backend.forensics.cases.case import Case


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataBurst(Case):
    """Of one caller."""

    kind: str = "metadata-burst"
    calls_by_path_kind: dict[str, int]
    served_requests: int
    served_requests_with_calls: int
    calls_per_request: float
    metadata_time_s: float
    share_of_service_time_ratio: float
    share_of_service_time_p95_ratio: float
    credential_lifetime_s: float | None
    credential_least_left_s: float | None
    calls_per_minute: float
    refreshes: int
    refreshes_per_minute: float
    refreshes_needed_per_minute: float | None
    refreshes_while_valid: int
    requests_refreshing: int
    chance_p_value: float
    sdk: str | None
    sdk_refresh_window_s: float | None
    storm_share_ratio: float | None
    user_agent: str | None
    call_median_ms: float | None
    call_p95_ms: float | None
    slow_calls: int
    unanswered: int
    failed: int
    retries: int
    token_puts: int
