"""Look-alike. Two SYNs are lost at the NAT, each beside another pod's SYN with its port: rare enough to be chance on a
path that loses packets anyway.

Distances and gaps as on a real kernel (Linux 6.18): 6 and 9 µs, 1.005 s.
"""

from __future__ import annotations

from backend.forensics.detectors.tuple_collision.thresholds import Thresholds
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, Hop
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("warning", 2)
LOOSENED = Thresholds(critical_collisions=2)
WRONG_CLAIM = "a node that loses connections to collisions all the time, from two SYNs"
SERVER = "192.0.2.10:80"


def build() -> Facts:
    capture = CaptureBuilder()
    for number in range(20):
        capture.connect(
            T0_NS + number * 250 * MS, _hops(f"10.0.0.3:{30_000 + number}", 30_000 + number), isn=number + 1
        )
    for number, apart_ns in enumerate((6_000, 9_000)):
        port, at_ns = 41_363 + number, T0_NS + 500 * MS * (number + 1)
        again = _hops(f"10.0.0.1:{port}", 23_000 + number)
        capture.retry(at_ns, again, isn=100_000 + number, seen_at=1, gap_ns=1_005 * MS)
        capture.connect(at_ns + apart_ns, _hops(f"10.0.0.2:{port}", port), isn=200_000 + number)
    return gather_facts([capture.build()], [])


def _hops(source: str, outer_port: int) -> list[Hop]:
    return [Hop("cni0", 0, source, SERVER), Hop("eth0", 20_000, f"198.51.100.1:{outer_port}", SERVER)]
