"""Positive. The last segments of answers are lost again and again; Linux' timer sends them after 200 to 230 ms."""

from __future__ import annotations

from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.signals import SENT_AGAIN
from backend.forensics.tests.build_anomalies import StumbleBuilder
from backend.forensics.tests.build_capture import MS
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("warning", 12)


def build() -> Facts:
    capture = StumbleBuilder()
    for number in range(60):
        connection = capture.connection()
        if number % 5 == 0:
            wait = {"silence_ns": (200 + number % 30) * MS, "payload_bytes": 700, "last_of_all": 1}
            capture.signal(connection, number * 10 * MS, SENT_AGAIN, **wait)
    return gather_facts([capture.build()], [])
