"""Negative. A busy client cycles through few ports, and every connection opens at once.

As in a real run of IPVS with `conn_reuse_mode=0`: 4,519 of 6,452 connections on used tuples, none delayed.
"""

from __future__ import annotations

from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, S, plain_path
from backend.forensics.tests.samples import Expected

EXPECTED = Expected(None)


def build() -> Facts:
    capture = CaptureBuilder(places=("eth0",))
    for number in range(120):
        path = plain_path(f"10.0.0.1:{40_000 + number % 40}", "192.0.2.10:80", "eth0")
        capture.connect(T0_NS + number * 50 * MS, path, isn=10_000 * (number + 1))
    capture.connect(T0_NS + 8 * S, plain_path("10.0.0.2:50000", "192.0.2.10:80", "eth0"), isn=7)
    return gather_facts([capture.build()], [])
