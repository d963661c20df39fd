"""Look-alike. Two SYNs on used tuples are lost among hundreds that pass: with so few, chance is enough.

Retry after 1.02 s as on Linux.
"""

from __future__ import annotations

from backend.forensics.detectors.port_reuse.thresholds import Thresholds
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, S, plain_path
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("info", 2)
LOOSENED = Thresholds(least_attempts=1)
WRONG_CLAIM = "ports used again too early, from two lost packets"


def build() -> Facts:
    capture = CaptureBuilder(places=("eth0",))
    for number in range(300):
        path = plain_path(f"10.0.0.1:{40_000 + number}", "192.0.2.10:80", "eth0")
        capture.connect(T0_NS + number * 20 * MS, path, isn=10_000 * (number + 1))
    for number in range(2):
        path = plain_path(f"10.0.0.1:{40_100 + number}", "192.0.2.10:80", "eth0")
        at_ns = T0_NS + 8 * S + number * MS
        capture.retry(at_ns, path, isn=9_000_000 + number, seen_at=1, gap_ns=1_020 * MS)
    return gather_facts([capture.build()], [])
