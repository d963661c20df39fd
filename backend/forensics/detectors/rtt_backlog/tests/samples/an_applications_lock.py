"""Look-alike. Requests wait for one lock of an application and are answered together; its kernel answers at once.

A garbage collection draws the same picture.
"""

from __future__ import annotations

from backend.forensics.detectors.rtt_backlog.thresholds import Thresholds
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.round_trips import REQUEST
from backend.forensics.tests.build_trips import TripBuilder, every, stalled
from backend.forensics.tests.samples import Expected

EXPECTED = Expected(None)
LOOSENED = Thresholds(kernel_answers=0)
WRONG_CLAIM = "a queue that stood still, although every echo of the same time was answered at once"


def build() -> Facts:
    capture = TripBuilder().probe(every(10, 3000, 3.0))
    held = stalled((1003.0, 1130.0), (2007.0, 2130.0), usual_ms=2.0)
    for number, sent_ms in enumerate(every(10, 3000)):
        capture.add(sent_ms, held(sent_ms), kind=REQUEST, port=10_000 + number)
    return gather_facts([capture.build()], [])
