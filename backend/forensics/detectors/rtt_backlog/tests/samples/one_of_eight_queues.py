"""Positive. One of eight receive queues stands still: echoes are held, SYNs of other ports are answered at once.

As measured in an incident with eight queues: TCP is spread by its ports, ICMP by its addresses.
"""

from __future__ import annotations

from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.round_trips import SYN_ANSWERED
from backend.forensics.tests.build_trips import TripBuilder, every, stalled
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("warning", 2)


def build() -> Facts:
    held = stalled((1003.0, 1120.0), (2507.0, 2600.0))
    capture = TripBuilder().probe(every(10, 4000), held)
    for number, sent_ms in enumerate(every(10, 4000, 4.0)):
        rtt_ms = held(sent_ms) if number % 8 == 3 else 0.1
        capture.add(sent_ms, rtt_ms, kind=SYN_ANSWERED, port=10_000 + number)
    return gather_facts([capture.build()], [])
