"""Positive. More comes in than goes out for 240 ms, then the queue drains: round trips rise and fall.

As measured on an emulated slow link: rising flank up to 243 ms, then slope -0.92.
"""

from __future__ import annotations

from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_trips import TripBuilder, every
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("warning", 1)


def rtt_ms(sent_ms: float) -> float:
    """Fills from 1,000 to 1,240 ms at its own rate, then drains."""
    if 1000 <= sent_ms < 1240:
        return 0.1 + (sent_ms - 1000)
    return 0.1 + max(0.0, 240 - 0.92 * (sent_ms - 1240)) if sent_ms >= 1240 else 0.1


def build() -> Facts:
    return gather_facts([TripBuilder().probe(every(4, 4000), rtt_ms).build()], [])
