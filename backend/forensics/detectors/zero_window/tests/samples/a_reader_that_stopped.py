"""Positive. A consumer holds a lock for 3 s; its window closes, the sender probes it after 0.2, 0.4, 0.8 s."""

from __future__ import annotations

from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.signals import CLOSED, OPENED
from backend.forensics.tests.build_anomalies import StumbleBuilder
from backend.forensics.tests.build_capture import MS, S
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("warning", 2)


def build() -> Facts:
    capture = StumbleBuilder()
    for number in range(2):
        connection = capture.connection(zero_window_probes=4)
        capture.signal(connection, number * 10 * S, CLOSED, from_client=1)
        capture.signal(connection, number * 10 * S + 3_000 * MS, OPENED, from_client=1)
    return gather_facts([capture.build()], [])
