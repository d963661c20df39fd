"""Look-alike. Three stalls of a receive queue under echo and SYN probes every 10 ms: 127, 117, 107 … ms.

As measured in an incident: groups of answers within 0.5 ms, usual round trip 0.1 ms.
"""

from __future__ import annotations

from backend.forensics.detectors.queue_buildup.thresholds import Thresholds
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.evidence.round_trips.queue_signs import QueueLimits
from backend.forensics.round_trips import SYN_ANSWERED
from backend.forensics.tests.build_trips import TripBuilder, every, stalled
from backend.forensics.tests.samples import Expected

EXPECTED = Expected(None)
LOOSENED = Thresholds(queue=QueueLimits(gentle_slope=-1.1))
WRONG_CLAIM = "a queue that filled up, although nothing was sent into it and all came back at once"


def build() -> Facts:
    held = stalled((1003.0, 1130.0), (2507.0, 2600.0), (4001.0, 4141.0))
    capture = TripBuilder().probe(every(10, 6000), held)
    for number, sent_ms in enumerate(every(10, 6000, 4.0)):
        capture.add(sent_ms, held(sent_ms), kind=SYN_ANSWERED, port=10_000 + number)
    return gather_facts([capture.build()], [])
