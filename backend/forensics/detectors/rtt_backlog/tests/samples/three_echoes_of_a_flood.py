"""Negative. Three echoes of a flood come back after 36, 23 and 3 ms within 0.1 ms: a stall that nobody felt.

As in a capture of strangers; true, and harmless.
"""

from __future__ import annotations

from backend.forensics.detectors.rtt_backlog.thresholds import Thresholds
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_trips import TripBuilder, every
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("info", 1)
LOOSENED = Thresholds(notable_samples=3, noticed_ms=30.0)
WRONG_CLAIM = "a stall worth a warning, although three echoes waited for 36 ms at most"


def build() -> Facts:
    quiet = [*every(12, 500), *every(12, 1100, 560)]
    capture = TripBuilder().probe(quiet, lambda _: 0.3)
    for sent_ms, rtt_ms in ((510.0, 36.0), (523.0, 23.02), (543.0, 3.05)):
        capture.add(sent_ms, rtt_ms)
    return gather_facts([capture.build()], [])
