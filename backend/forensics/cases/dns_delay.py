"""DNS lookups that were retried, unanswered or answered late."""

from __future__ import annotations

from dataclasses import dataclass

from backend.forensics.cases.case import Case


@dataclass(frozen=True, slots=True, kw_only=True)
class DnsDelay(Case):
    """Of one resolver."""

    kind: str = "dns-delay"
    lookups_total: int
    retries: int
    delay_median_s: float
    delay_max_s: float
    search_expansions: int
    repeated: int
    unanswered: int
    late: int
    queries_total: int
    name_errors_ratio: float
    truncated: int
    usual_s: float | None
    retry_schedule: str
    retry_pause_median_s: float | None
    lost_at: list[str]
    """Where unanswered queries were lost, most frequent first."""
