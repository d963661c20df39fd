"""Look-alike. A backup writes slower than its network brings: the window closes for 250 ms again and again."""

from __future__ import annotations

from backend.forensics.detectors.zero_window.thresholds import Thresholds
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.signals import CLOSED, OPENED
from backend.forensics.tests.build_anomalies import StumbleBuilder
from backend.forensics.tests.build_capture import MS, S
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("info", 8)
LOOSENED = Thresholds(notable_s=0.2)
WRONG_CLAIM = "an application that hangs, from one that reads as fast as it can"


def build() -> Facts:
    capture = StumbleBuilder()
    connection = capture.connection(windows_full=30)
    for number in range(8):
        capture.signal(connection, number * S, CLOSED)
        capture.signal(connection, number * S + 250 * MS, OPENED)
    return gather_facts([capture.build()], [])
