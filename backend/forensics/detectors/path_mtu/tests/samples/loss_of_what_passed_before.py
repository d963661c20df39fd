"""Negative. Segments of a size that passed before are lost three times in a row: a bad path, no limit of size."""

from __future__ import annotations

from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.signals import SENT_AGAIN
from backend.forensics.tests.build_anomalies import StumbleBuilder
from backend.forensics.tests.build_capture import MS
from backend.forensics.tests.samples import Expected

EXPECTED = Expected(None)


def build() -> Facts:
    capture = StumbleBuilder()
    for _ in range(4):
        connection = capture.connection()
        for doubling in range(4):
            repeat = {
                "sequence": 77,
                "payload_bytes": 1448,
                "passed_bytes": 1448,
                "silence_ns": 200 * MS << doubling,
            }
            capture.signal(connection, 200 * MS << doubling, SENT_AGAIN, **repeat)
    return gather_facts([capture.build()], [])
