"""Limits of the rule, with unit and reason."""

from __future__ import annotations

from dataclasses import dataclass

from backend.forensics.evidence.requests.metadata_pattern import SLOW_CALL_S


@dataclass(frozen=True)
class Thresholds:
    """What makes metadata calls a burst inside requests, and what only a poller or a first load."""

    significant_p: float = 0.001
    """Above it the calls may meet served requests by chance (probability)."""
    notable_refreshes: int = 3
    """Served requests that fetched credentials again, the first load left out: one or two may be workers that start
    (requests)."""
    notable_excess_ratio: float = 3.0
    """Fetches of credentials over those that caching needs: several processes load their own (ratio)."""
    notable_calls_in_requests: int = 5
    """Served requests with calls for anything else (requests)."""
    notable_share_ratio: float = 0.1
    """Of their service time that such calls take in the middle (ratio): less is not felt."""
    notable_on_one_connection: int = 10
    """Fetches of credentials on one kept connection, whatever requests were seen: one process that does not cache;
    processes that start come on connections of their own (calls)."""
    poll_period_s: float = 5.0
    """Fetches of credentials this far apart or farther may be a poller with a clock of its own (s)."""
    slow_call_s: float = SLOW_CALL_S
    """Half the time that SDKs wait for an answer by default (botocore: 1 s); usual are milliseconds (s)."""
    notable_slow_calls: int = 2
    """Slow or unanswered calls: one may be the agent's own first fetch (calls)."""
    critical_requests: int = 10
    """Served requests with calls inside that take most of their time (requests)."""
    critical_share_ratio: float = 0.5
    """Of their service time in the middle (ratio)."""
    findings_most: int = 50
    """Callers listed one by one; on a node each pod has a poller (findings)."""
    rows_most: int = 1_000
    """Rows of a table and marks of a finding (rows)."""


DEFAULT = Thresholds()
