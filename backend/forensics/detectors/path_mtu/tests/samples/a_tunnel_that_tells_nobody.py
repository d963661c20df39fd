"""Positive. Behind a VXLAN tunnel answers of 1,448 bytes never arrive; ICMP is filtered, the timer repeats them."""

from __future__ import annotations

from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.signals import SENT_AGAIN
from backend.forensics.tests.build_anomalies import StumbleBuilder
from backend.forensics.tests.build_capture import MS, S
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("warning", 4)


def build() -> Facts:
    capture = StumbleBuilder()
    for number in range(4):
        connection = capture.connection()
        for doubling in range(5):
            repeat = {
                "sequence": 77,
                "payload_bytes": 1448,
                "passed_bytes": 230,
                "silence_ns": 200 * MS << doubling,
            }
            capture.signal(connection, number * S + (200 * MS << doubling), SENT_AGAIN, **repeat)
    return gather_facts([capture.build()], [])
