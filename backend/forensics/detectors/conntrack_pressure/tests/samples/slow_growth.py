"""Negative. Entries grow by three a second over an hour; at that rate the table has room for four more.

Limit as on a real kernel (Linux 6.1: 65,536); the counts are chosen.
"""

from __future__ import annotations

from backend.forensics.detectors.conntrack_pressure.thresholds import Thresholds
from backend.forensics.dumps import Dump, Setting
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.tests.build_capture import T0_NS, S
from backend.forensics.tests.samples import Expected

EXPECTED = Expected(None)
LOOSENED = Thresholds(forecast_horizon_s=86_400.0)
WRONG_CLAIM = "a table that will be full, hours ahead, from a few readings"


def build() -> Facts:
    return gather_facts([], [_sizes(5_000 + 3 * at_s, at_s) for at_s in (0, 1_200, 2_400, 3_600)])


def _sizes(count: int, at_s: int) -> DumpInput:
    settings = (
        Setting(1, "net.netfilter.nf_conntrack_count", str(count)),
        Setting(2, "net.netfilter.nf_conntrack_max", "65536"),
    )
    return DumpInput(
        f"sysctl-{at_s}.txt", None, Dump("sysctl", 2, (), T0_NS + at_s * S, "text", settings=settings)
    )
