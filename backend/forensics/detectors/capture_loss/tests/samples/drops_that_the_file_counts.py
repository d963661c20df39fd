"""Positive. The interface statistics in the file count packets that were dropped before they were written.

Counts as in the pcapng files that gopacket tests with: 43 on one interface (1 by the interface, 42 by the operating
system), 10 on the other.
"""

from __future__ import annotations

from dataclasses import replace

from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, plain_path
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("warning", 53)
DROPPED = (43, 10)


def build() -> Facts:
    capture = CaptureBuilder()
    for number in range(40):
        path = plain_path(f"10.0.0.1:{20_000 + number}", "192.0.2.10:80", "cni0", "eth0")
        capture.connect(T0_NS + number * 50 * MS, path, isn=1_000 * (number + 1))
    built = capture.build(data=(1_000, 0))
    built.connections["lost_segments"][0] = 0
    told = zip(built.vantage_points, DROPPED, strict=True)
    points = tuple(replace(point, dropped_by_capture=dropped) for point, dropped in told)
    return gather_facts([replace(built, vantage_points=points)], [])
