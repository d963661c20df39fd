"""Positive. Six SYNs, sent at uneven intervals, wait 865 to 75 ms and are answered within 0.4 ms.

As in a capture of strangers: there is no probe interval.
"""

from __future__ import annotations

from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.round_trips import SYN_ANSWERED
from backend.forensics.tests.build_trips import TripBuilder, stalled
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("warning", 1)


def build() -> Facts:
    held = stalled((30.0, 900.0), usual_ms=0.4, drain_ms=0.0005)
    capture = TripBuilder()
    for number, sent_ms in enumerate([0, 10, 20, 35, 110, 300, 512, 640, 825, 910, 940, 1000]):
        capture.add(sent_ms, held(sent_ms), kind=SYN_ANSWERED, port=10_000 + number)
    return gather_facts([capture.build()], [])
