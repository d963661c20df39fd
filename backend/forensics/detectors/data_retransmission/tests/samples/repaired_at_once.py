"""Negative. A bulk transfer with 70 losses, each repaired after three duplicate ACKs.

As in a real transfer of 1,448-byte segments: 70 of 2,991 packets sent again, none after a silence.
"""

from __future__ import annotations

from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.packets import MARK_FAST_RETRANSMISSION, MARK_RETRANSMISSION
from backend.forensics.signals import SENT_AGAIN
from backend.forensics.tests.build_anomalies import StumbleBuilder
from backend.forensics.tests.build_capture import MS
from backend.forensics.tests.samples import Expected

EXPECTED = Expected(None)


def build() -> Facts:
    capture = StumbleBuilder()
    connections = [capture.connection() for _ in range(6)]
    for number in range(70):
        marks = MARK_RETRANSMISSION | MARK_FAST_RETRANSMISSION
        capture.signal(connections[number % 6], number * MS, SENT_AGAIN, payload_bytes=1448, marks=marks)
    return gather_facts([capture.build()], [])
