"""Positive. One connection in twenty opens a second late; every other client is answered at once.

Timing as on a real kernel (Linux 6.18, 600 connections of which 29 were delayed): the SYN again after 1.001 to 1.032 s.
"""

from __future__ import annotations

from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, S, plain_path
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("critical", 29)
SERVER = "192.0.2.10:80"


def build() -> Facts:
    capture = CaptureBuilder()
    for number in range(600):
        path = plain_path(f"10.0.0.1:{20_000 + number}", SERVER, "cni0", "eth0")
        at_ns, isn = T0_NS + number * 25 * MS, 1_000 * (number + 1)
        if number % 20 == 3 and number < 580:
            capture.retry(at_ns, path, isn=isn, seen_at=1, gap_ns=S + (1 + number % 32) * MS)
        else:
            capture.connect(at_ns, path, isn=isn)
    return gather_facts([capture.build()], [])
