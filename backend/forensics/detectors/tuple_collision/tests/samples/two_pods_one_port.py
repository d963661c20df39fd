"""Positive. Two pods dial one server from the same source port at once; the node can keep it for only one of them.

Timing as on a real kernel (Linux 6.18, nothing delayed or dropped by a rule): the two SYNs 0 to 11 µs apart, the loser
absent behind the NAT, sent again after 1.001 to 1.032 s and then let out with another port.
"""

from __future__ import annotations

from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, Hop, S
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("critical", 6)
SERVER = "192.0.2.10:80"
APART_NS = (0, 1_000, 3_000, 6_000, 9_000, 11_000)


def build() -> Facts:
    capture = CaptureBuilder()
    for number in range(20):
        capture.connect(
            T0_NS + number * 250 * MS, _hops(f"10.0.0.3:{30_000 + number}", 30_000 + number), isn=number + 1
        )
    for number, apart_ns in enumerate(APART_NS):
        port, at_ns = 41_363 + number, T0_NS + 500 * MS * (number + 1)
        loser, again = _hops(f"10.0.0.1:{port}", port), _hops(f"10.0.0.1:{port}", 23_000 + number)
        capture.retry(
            at_ns, loser, isn=100_000 + number, seen_at=1, gap_ns=S + (1 + 6 * number) * MS, again=again
        )
        capture.connect(at_ns + apart_ns, _hops(f"10.0.0.2:{port}", port), isn=200_000 + number)
    return gather_facts([capture.build()], [])


def _hops(source: str, outer_port: int) -> list[Hop]:
    return [Hop("cni0", 0, source, SERVER), Hop("eth0", 20_000, f"198.51.100.1:{outer_port}", SERVER)]
