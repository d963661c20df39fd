"""Negative. One connection to a port that a firewall drops silently; all others open.

Gaps as on a real kernel (Linux 6.18 at HZ = 250, a rule that drops): 1.010, 2.016 and 4.128 s. True, and for this
user bad, but it is the only repeated SYN of the capture: no pattern.
"""

from __future__ import annotations

from backend.forensics.detectors.syn_retransmission.thresholds import Thresholds
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, plain_path
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("info", 1)
LOOSENED = Thresholds(harmless_attempts=0)
WRONG_CLAIM = "SYNs are lost on the way to a server, from one closed port"
GAPS_MS = (1_010, 2_016, 4_128)


def build() -> Facts:
    capture = CaptureBuilder()
    for number in range(120):
        path = plain_path(f"10.0.0.1:{20_000 + number}", "192.0.2.10:80", "cni0", "eth0")
        capture.connect(T0_NS + number * 100 * MS, path, isn=1_000 * (number + 1))
    blocked = plain_path("10.0.0.1:34176", "192.0.2.10:8443", "cni0", "eth0")
    for number in range(len(GAPS_MS) + 1):
        capture.syn(T0_NS + sum(GAPS_MS[:number]) * MS, blocked, isn=77)
    return gather_facts([capture.build()], [])
