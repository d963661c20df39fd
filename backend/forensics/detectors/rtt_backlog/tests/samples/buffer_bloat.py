"""Look-alike. A burst of 30 kB fills the queue of a slow link: echoes behind it come back together, slope -0.94.

As measured on an emulated link: 162 ms of queue, 39 answers within 10 ms.
"""

from __future__ import annotations

from backend.forensics.detectors.rtt_backlog.thresholds import Thresholds
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.evidence.round_trips.queue_signs import QueueLimits
from backend.forensics.tests.build_trips import TripBuilder, every, stalled
from backend.forensics.tests.samples import Expected

EXPECTED = Expected(None)
LOOSENED = Thresholds(queue=QueueLimits(rising_share=9, burst_bytes=1 << 30, gentle_slope=9))
WRONG_CLAIM = "a queue that stood still, although the sender had filled it itself"


def build() -> Facts:
    queue = stalled((1003.0, 1165.0), (3003.0, 3165.0), drain_ms=0.063)
    capture = TripBuilder()
    for sent_ms in every(4, 5000):
        burst = 1003.0 <= sent_ms < 1050 or 3003.0 <= sent_ms < 3050
        capture.add(sent_ms, queue(sent_ms), recent_bytes=32_000 if burst else 1000)
    return gather_facts([capture.build()], [])
