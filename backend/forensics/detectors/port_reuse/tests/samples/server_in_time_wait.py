"""Positive. Masquerading with few ports hands them out again while the server still holds them in TIME_WAIT.

Timing as in a real run on Linux 6.18 (31 ports, 360 connections): a bare ACK of the old connection 15 µs after the
SYN, the client's RST 5 µs later, the SYN again after 8 to 16 ms.
"""

from __future__ import annotations

from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.packets import ACK, RST
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, Hop, S
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("critical", 8)
SERVER = "192.0.2.10:80"
NODE = "198.51.100.1"


def build() -> Facts:
    capture = CaptureBuilder()
    for number in range(40):
        capture.connect(T0_NS + number * 10 * MS, _hops(number, 20_000 + number), isn=10_000 * (number + 1))
    for number in range(8):
        at_ns, isn = T0_NS + S + number * 50 * MS, 5_000_000 + 10_000 * number
        used = _hops(100 + number, 20_000 + number)
        capture.syn(at_ns, used, isn=isn)
        for hop in reversed(used):
            back_ns = at_ns + 55_000 - hop.delay_ns
            capture.packet(
                hop.place, back_ns, hop.destination, hop.source, tcp_flags=ACK, acknowledgement=77, sequence=9
            )
            capture.packet(
                hop.place, back_ns + 5_000, hop.source, hop.destination, tcp_flags=RST, sequence=77
            )
        capture.connect(at_ns + 13 * MS, _hops(100 + number, 30_000 + number), isn=isn)
    return gather_facts([capture.build()], [])


def _hops(number: int, outer_port: int) -> list[Hop]:
    source = f"10.0.0.1:{40_000 + number}"
    return [Hop("cni0", 0, source, SERVER), Hop("eth0", 20_000, f"{NODE}:{outer_port}", SERVER)]
