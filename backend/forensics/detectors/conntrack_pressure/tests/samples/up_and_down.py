"""Look-alike. The count goes up and down by hundreds between five readings: traffic, no growth.

Limit and times as on a real kernel (Linux 6.1: 65,536, a reading every five seconds); the counts are chosen.
"""

from __future__ import annotations

from backend.forensics.detectors.conntrack_pressure.thresholds import Thresholds
from backend.forensics.dumps import Dump, Setting
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.tests.build_capture import T0_NS, S
from backend.forensics.tests.samples import Expected

EXPECTED = Expected(None)
LOOSENED = Thresholds(forecast_fit=0.0)
WRONG_CLAIM = "a table that is full within the hour, from a line through a zigzag"
COUNTS = (57_136, 57_911, 57_164, 58_020, 57_571)


def build() -> Facts:
    return gather_facts([], [_sizes(count, 5 * number) for number, count in enumerate(COUNTS)])


def _sizes(count: int, at_s: int) -> DumpInput:
    settings = (
        Setting(1, "net.netfilter.nf_conntrack_count", str(count)),
        Setting(2, "net.netfilter.nf_conntrack_max", "65536"),
    )
    return DumpInput(
        f"sysctl-{at_s}.txt", None, Dump("sysctl", 2, (), T0_NS + at_s * S, "text", settings=settings)
    )
