"""Look-alike. Each answer is late for itself: delays of an exponential distribution, some of them long.

As on a mobile link; by accident a few end close together.
"""

from __future__ import annotations

import numpy as np

from backend.forensics.detectors.rtt_backlog.thresholds import Thresholds
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_trips import TripBuilder, every
from backend.forensics.tests.samples import Expected

EXPECTED = Expected(None)
LOOSENED = Thresholds(by_chance=1e9, held_share=0.0)
WRONG_CLAIM = "stalls, although late answers that end together are an accident"


def build() -> Facts:
    random = np.random.default_rng(5)
    capture = TripBuilder()
    for sent_ms in every(5, 30_000):
        late_ms = random.exponential(60.0) if random.random() < 0.15 else 0.0
        capture.add(sent_ms, 10.0 + random.normal(0, 0.5) + late_ms)
    return gather_facts([capture.build()], [])
