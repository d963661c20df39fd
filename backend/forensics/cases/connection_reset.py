"""Connections that a RST ended."""

from __future__ import annotations

from dataclasses import dataclass, field

from backend.forensics.cases.case import APART, Case


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionReset(Case):
    """Of one destination and one sort of resets."""

    kind: str = "connection-reset"
    sort: str
    """In words, for people."""
    opened_total: int
    requests_answered: int
    bytes_before_median: float
    age_median_s: float
    untranslated: bool = field(metadata=APART)
    """The client reset packets that came from an address which it had not asked."""
