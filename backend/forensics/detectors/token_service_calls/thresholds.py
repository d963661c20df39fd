"""Limits of the rule, with unit and reason."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Thresholds:
    """When calls to a token service are a part of serving, and not a load of credentials now and then."""

    significant_p: float = 0.001
    """Above it the calls may meet served requests by chance (probability)."""
    notable_requests: int = 4
    """Served requests with a call inside: processes that start make one each (requests)."""
    notable_excess_ratio: float = 3.0
    """Calls over those that caching needs: several processes load their own (ratio)."""
    notable_share_ratio: float = 0.1
    """Of the service time that calls take in the median request with one (ratio): less is not felt."""
    notable_call_ms: float = 50.0
    """Median call: a regional service on the same network answers sooner, handshakes included (ms)."""
    critical_share_ratio: float = 0.5
    """Of the service time (ratio)."""
    confidence: float = 0.9
    """Where the name is in the ClientHello; which request a call belongs to is known by time."""
    findings_most: int = 50
    """Callers listed one by one (findings)."""
    rows_most: int = 1_000
    """Marks and events of a finding (rows)."""


DEFAULT = Thresholds()
