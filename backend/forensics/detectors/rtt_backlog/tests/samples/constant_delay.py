"""Negative. A path of 120 ms, as between continents: every answer is late by the clock, none by its own standard.

Measured on an emulated long path; an absolute limit flags all of it.
"""

from __future__ import annotations

from backend.forensics.detectors.rtt_backlog.thresholds import Thresholds
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.round_trips import SYN_ANSWERED
from backend.forensics.tests.build_trips import TripBuilder, every, stalled
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("info", 1)
LOOSENED = Thresholds(notable_samples=4, noticed_ms=20.0)
WRONG_CLAIM = "a warning for the one small stall on a path whose 120 ms are usual"


def build() -> Facts:
    held = stalled((1003.0, 1041.0), usual_ms=120.1)
    capture = TripBuilder().probe(every(10, 4000), held)
    for number, sent_ms in enumerate(every(50, 4000, 4.0)):
        capture.add(sent_ms, 120.1, kind=SYN_ANSWERED, port=10_000 + number)
    return gather_facts([capture.build()], [])
