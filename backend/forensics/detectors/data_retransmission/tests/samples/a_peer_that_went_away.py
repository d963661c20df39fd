"""Look-alike. One client of fifty vanished in the middle of an answer: the server's timer backs off, 0.2 to 6.4 s."""

from __future__ import annotations

from backend.forensics.detectors.data_retransmission.thresholds import Thresholds
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.signals import SENT_AGAIN
from backend.forensics.tests.build_anomalies import StumbleBuilder
from backend.forensics.tests.build_capture import MS
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("info", 6)
LOOSENED = Thresholds(notable_connections=1)
WRONG_CLAIM = "a lossy path, from one client that was switched off"


def build() -> Facts:
    capture = StumbleBuilder()
    gone = [capture.connection() for _ in range(50)][7]
    at_ns = 0
    for doubling in range(6):
        silence_ns = 200 * MS << doubling
        at_ns += silence_ns
        capture.signal(gone, at_ns, SENT_AGAIN, silence_ns=silence_ns, payload_bytes=1448)
    return gather_facts([capture.build()], [])
