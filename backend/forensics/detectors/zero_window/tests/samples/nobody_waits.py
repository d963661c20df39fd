"""Negative. A client closes its window when it has all it wants; the server has nothing more to send."""

from __future__ import annotations

from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.signals import CLOSED
from backend.forensics.tests.build_anomalies import StumbleBuilder
from backend.forensics.tests.samples import Expected

EXPECTED = Expected(None)


def build() -> Facts:
    capture = StumbleBuilder()
    capture.signal(capture.connection(), 0, CLOSED, from_client=1)
    return gather_facts([capture.build()], [])
