"""Look-alike. A router in the middle answers every second probe, the target all of them: nothing is lost."""

from __future__ import annotations

from backend.forensics.detectors.listed_sign.thresholds import Thresholds
from backend.forensics.dumps import Dump, PathHop
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.tests.samples import Expected

EXPECTED = Expected(None)
LOOSENED = Thresholds(judged_hops=2)
WRONG_CLAIM = "Probe loss on the path"


def build() -> Facts:
    hops = (
        PathHop(3, "mtr", 1, "10.0.0.1", 0.0, 100),
        PathHop(4, "mtr", 2, "198.51.100.1", 52.0, 100),
        PathHop(5, "mtr", 3, "198.51.100.9", 0.0, 100),
    )
    return gather_facts([], [DumpInput("mtr.txt", None, Dump("path-hops", 5, (), hops=hops))])
