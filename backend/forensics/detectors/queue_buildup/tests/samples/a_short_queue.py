"""Negative. A queue of 45 ms behind a burst: there, and felt by nobody.

What a web page's first packets do to a home router.
"""

from __future__ import annotations

from backend.forensics.detectors.queue_buildup.thresholds import Thresholds
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_trips import TripBuilder, every, stalled
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("info", 1)
LOOSENED = Thresholds(notable_ms=10.0)
WRONG_CLAIM = "a warning for 45 ms"


def build() -> Facts:
    queue = stalled((1003.0, 1048.0), drain_ms=0.04)
    capture = TripBuilder()
    for sent_ms in every(4, 3000):
        capture.add(sent_ms, queue(sent_ms), recent_bytes=40_000 if 1003 <= sent_ms < 1030 else 1000)
    return gather_facts([capture.build()], [])
