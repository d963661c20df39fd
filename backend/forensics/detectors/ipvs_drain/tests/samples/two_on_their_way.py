"""Look-alike. Two connections reach the server right after the listing: they were under way when the weight changed."""

from __future__ import annotations

from backend.forensics.detectors.ipvs_drain.thresholds import Thresholds
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, S
from backend.forensics.tests.build_ipvs import OTHER, POD, listing, through
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("info", 2)
LOOSENED = Thresholds(least_connections=1, settled_ns=0)
WRONG_CLAIM = "a drain that does not drain, from two connections within its first second"


def build() -> Facts:
    capture = CaptureBuilder(places=("vip", "cni0"))
    for number in range(40):
        capture.connect(T0_NS + number * 200 * MS, through(number, OTHER), isn=10_000 * (number + 1))
    for number in (60, 61):
        capture.connect(T0_NS + 5 * S + number * MS, through(number), isn=10_000 * number)
    return gather_facts([capture.build()], [listing(T0_NS + 5 * S, {POD: 0, OTHER: 1})])
