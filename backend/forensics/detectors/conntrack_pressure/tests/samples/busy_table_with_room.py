"""Negative. A load test fills a table of 65,536 entries to 58,000 and stops there.

Limit as on a real kernel (Linux 6.1: 65,536); the count is chosen and stands still.
"""

from __future__ import annotations

from backend.forensics.detectors.conntrack_pressure.thresholds import Thresholds
from backend.forensics.dumps import Dump, Setting
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.tests.build_capture import T0_NS, S
from backend.forensics.tests.samples import Expected

EXPECTED = Expected(None)
LOOSENED = Thresholds(near_ratio=0.85)
WRONG_CLAIM = "a table that is nearly full, with more than seven thousand entries free"


def build() -> Facts:
    return gather_facts([], [_sizes(58_000, 5 * number) for number in range(4)])


def _sizes(count: int, at_s: int) -> DumpInput:
    settings = (
        Setting(1, "net.netfilter.nf_conntrack_count", str(count)),
        Setting(2, "net.netfilter.nf_conntrack_max", "65536"),
    )
    return DumpInput(
        f"sysctl-{at_s}.txt", None, Dump("sysctl", 2, (), T0_NS + at_s * S, "text", settings=settings)
    )
