"""Look-alike. One client vanished before its first large answer came."""

from __future__ import annotations

from backend.forensics.detectors.path_mtu.thresholds import Thresholds
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.signals import SENT_AGAIN
from backend.forensics.tests.build_anomalies import StumbleBuilder
from backend.forensics.tests.build_capture import MS
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("info", 1)
LOOSENED = Thresholds(notable_connections=1)
WRONG_CLAIM = "a way that takes no large packets, from one client that left"


def build() -> Facts:
    capture = StumbleBuilder()
    connection = capture.connection()
    for doubling in range(5):
        repeat = {
            "sequence": 77,
            "payload_bytes": 1448,
            "passed_bytes": 100,
            "silence_ns": 200 * MS << doubling,
        }
        capture.signal(connection, 200 * MS << doubling, SENT_AGAIN, **repeat)
    return gather_facts([capture.build()], [])
