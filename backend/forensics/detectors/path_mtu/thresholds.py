"""Limits of the rule, with unit and reason."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Thresholds:
    """`segment_least_bytes`: every way takes smaller ones (IPv6 asks for 1,280 bytes, of which 1,220 are payload; some
    tunnels leave less, none below 1,000). `repeats_least` of one segment without progress; `notable_connections` of one
    pair of hosts, or an ICMP message that names the size."""

    segment_least_bytes: int = 1_000
    repeats_least: int = 3
    notable_connections: int = 2
    confidence: float = 0.85
    confidence_icmp: float = 0.95
    findings_most: int = 50
    marked: int = 300


DEFAULT = Thresholds()
