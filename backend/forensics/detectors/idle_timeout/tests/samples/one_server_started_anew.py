"""Look-alike. One idle connection meets a server that was started anew, and is reset."""

from __future__ import annotations

from backend.forensics.detectors.idle_timeout.thresholds import Thresholds
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.packets import RST
from backend.forensics.signals import AFTER_SILENCE, REPLY
from backend.forensics.tests.build_anomalies import StumbleBuilder
from backend.forensics.tests.build_capture import MS, S
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("info", 1)
LOOSENED = Thresholds(notable_connections=1)
WRONG_CLAIM = "a time-out on the way, from one reset"


def build() -> Facts:
    capture = StumbleBuilder()
    connection = capture.connection()
    capture.signal(connection, 500 * S, AFTER_SILENCE, silence_ns=400 * S, payload_bytes=200, from_client=1)
    capture.signal(connection, 500 * S + MS, REPLY, tcp_flags=RST)
    return gather_facts([capture.build()], [])
