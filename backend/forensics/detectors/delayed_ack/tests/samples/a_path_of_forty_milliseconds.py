"""Negative. Each write is acknowledged after the 40 ms that a round trip takes, and the next one leaves then."""

from __future__ import annotations

from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_writes import talk
from backend.forensics.tests.samples import Expected

EXPECTED = Expected(None)


def build() -> Facts:
    return gather_facts([talk(round_trip_ms=40.0, held_ms=40.2)], [])
