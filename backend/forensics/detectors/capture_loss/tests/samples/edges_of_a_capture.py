"""Negative. Three segments were under way when the capture began: acknowledged, not captured.

As on a real kernel (tcpdump, 18,058 packets received, none dropped) no drop is counted; the three holes are chosen, at
the limit.
"""

from __future__ import annotations

from dataclasses import replace

from backend.forensics.detectors.capture_loss.thresholds import Thresholds
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, plain_path
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("info", 3)
LOOSENED = Thresholds(notable_segments=2)
WRONG_CLAIM = "a capture that proves nothing, from three segments at its edge"
DROPPED = (0, 0)


def build() -> Facts:
    capture = CaptureBuilder()
    for number in range(40):
        path = plain_path(f"10.0.0.1:{20_000 + number}", "192.0.2.10:80", "cni0", "eth0")
        capture.connect(T0_NS + number * 50 * MS, path, isn=1_000 * (number + 1))
    built = capture.build(data=(1_000, 0))
    built.connections["lost_segments"][0] = 3
    told = zip(built.vantage_points, DROPPED, strict=True)
    points = tuple(replace(point, dropped_by_capture=dropped) for point, dropped in told)
    return gather_facts([replace(built, vantage_points=points)], [])
