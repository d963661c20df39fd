"""Negative. A pod is replaced: two connections still go to its old address and are told "host unreachable".

Timing as on a real kernel (Linux 6.1): the error 3.07 s after the SYN.
"""

from __future__ import annotations

from backend.forensics.detectors.unreachable.thresholds import Thresholds
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.packets import ICMP
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, S, plain_path
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("info", 2)
LOOSENED = Thresholds(notable_connections=2)
WRONG_CLAIM = "a destination that cannot be reached, from two connections to an old address"


def build() -> Facts:
    capture = CaptureBuilder()
    for number in range(20):
        path = plain_path(f"10.0.0.1:{30_000 + number}", "192.0.2.10:80", "cni0", "eth0")
        capture.connect(T0_NS + number * 100 * MS, path, isn=1_000 * (number + 1))
    for number in range(2):
        _told(capture, number, "192.0.2.99:80", 3_070 * MS)
    return gather_facts([capture.build()], [])


def _told(capture: CaptureBuilder, number: int, server: str, after_ns: int) -> None:
    at_ns, port = T0_NS + S + number * 200 * MS, 12_004 + number
    server_port = int(server.rpartition(":")[2])
    capture.syn(at_ns, plain_path(f"10.0.0.1:{port}", server, "cni0", "eth0"), isn=100_000 + number)
    quoted = {"source_port": port, "destination_port": server_port, "sequence": 100_000 + number}
    for place in ("eth0", "cni0"):
        capture.packet(
            place,
            at_ns + after_ns,
            "192.0.2.1:0",
            "10.0.0.1:0",
            protocol=ICMP,
            icmp_type=3,
            icmp_code=1,
            **quoted,
        )
