"""Look-alike. Many connections reach the server within the second of the listing and none later.

Listings often carry whole seconds only: these may all have come before the change.
"""

from __future__ import annotations

from backend.forensics.detectors.ipvs_drain.thresholds import Thresholds
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, S
from backend.forensics.tests.build_ipvs import OTHER, POD, listing, through
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("info", 20)
LOOSENED = Thresholds(settled_ns=0)
WRONG_CLAIM = "a drain that does not drain, from a listing whose time is rounded"


def build() -> Facts:
    capture = CaptureBuilder(places=("vip", "cni0"))
    for number in range(20):
        capture.connect(T0_NS + 5 * S + (number + 1) * 40 * MS, through(number), isn=10_000 * (number + 1))
    for number in range(40, 60):
        capture.connect(T0_NS + number * 300 * MS, through(number, OTHER), isn=10_000 * number)
    return gather_facts([capture.build()], [listing(T0_NS + 5 * S, {POD: 0, OTHER: 1})])
