"""Negative. Pooled connections are used again after minutes, and answer."""

from __future__ import annotations

from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.signals import AFTER_SILENCE, REPLY
from backend.forensics.tests.build_anomalies import StumbleBuilder
from backend.forensics.tests.build_capture import MS, S
from backend.forensics.tests.samples import Expected

EXPECTED = Expected(None)


def build() -> Facts:
    capture = StumbleBuilder()
    for number in range(9):
        connection, at_ns = capture.connection(), (1_000 + number) * S
        sent = {"silence_ns": (30 + 100 * number) * S, "payload_bytes": 200, "from_client": 1}
        capture.signal(connection, at_ns, AFTER_SILENCE, **sent)
        capture.signal(connection, at_ns + 20 * MS, REPLY)
    return gather_facts([capture.build()], [])
