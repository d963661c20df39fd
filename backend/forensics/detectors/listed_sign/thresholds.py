"""Limits of the rule."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Thresholds:
    """What is reported, and how much at most."""

    rule_packets_least: int = 1
    """Packets that a rule counted: without any it did nothing."""
    judged_hops: int = 1
    """From the end: routers before the target answer probes as they like (RFC 1812 section 4.3.2.8)."""
    signs_most: int = 20
    """Facts: whoever pasted a whole sosreport reads the first."""


DEFAULT = Thresholds()
