"""Look-alike. Nine holes in ten thousand segments of a long transfer: reordering that looks like loss.

As on a real kernel no drop is counted; the holes are chosen, just below one in a thousand.
"""

from __future__ import annotations

from dataclasses import replace

from backend.forensics.detectors.capture_loss.thresholds import Thresholds
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, plain_path
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("info", 9)
LOOSENED = Thresholds(notable_ratio=0.0)
WRONG_CLAIM = "a capture that proves nothing, from less than one segment in a thousand"
DROPPED = (0, 0)


def build() -> Facts:
    capture = CaptureBuilder()
    for number in range(40):
        path = plain_path(f"10.0.0.1:{20_000 + number}", "192.0.2.10:80", "cni0", "eth0")
        capture.connect(T0_NS + number * 50 * MS, path, isn=1_000 * (number + 1))
    built = capture.build(data=(10_000, 0))
    built.connections["lost_segments"][0] = 9
    told = zip(built.vantage_points, DROPPED, strict=True)
    points = tuple(replace(point, dropped_by_capture=dropped) for point, dropped in told)
    return gather_facts([replace(built, vantage_points=points)], [])
