"""Positive. A client writes a header of 100 bytes and then its body. Times as measured on Linux 6.18 over loopback."""

from __future__ import annotations

from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_writes import talk
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("warning", 46)


def build() -> Facts:
    return gather_facts(
        [talk(connections=2, writes=23, round_trip_ms=0.06, held_ms=43.9, follows_ms=0.03)], []
    )
