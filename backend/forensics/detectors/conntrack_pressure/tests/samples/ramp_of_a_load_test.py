"""Look-alike. Entries grow from 136 to 1,064 in the first 46 s of a load that the table bears easily.

All readings and the limit of 65,536 as on a real kernel (Linux 6.1). A line fits them well, and would reach nine tenths
of the table in less than an hour; what follows on it is that closed connections leave as fast as new ones come.
"""

from __future__ import annotations

from backend.forensics.detectors.conntrack_pressure.thresholds import Thresholds
from backend.forensics.dumps import Dump, Setting
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.tests.build_capture import T0_NS, S
from backend.forensics.tests.samples import Expected

EXPECTED = Expected(None)
LOOSENED = Thresholds(forecast_reach=100.0)
WRONG_CLAIM = "a table that will be full, from 46 s that are projected over most of an hour"
COUNTS = (136, 511, 607, 747, 809, 853, 877, 972, 1_029, 1_055, 1_064)
AT_S = (0, 5, 10, 15, 19, 23, 27, 32, 37, 41, 46)


def build() -> Facts:
    return gather_facts([], [_sizes(count, at_s) for count, at_s in zip(COUNTS, AT_S, strict=True)])


def _sizes(count: int, at_s: int) -> DumpInput:
    settings = (
        Setting(1, "net.netfilter.nf_conntrack_count", str(count)),
        Setting(2, "net.netfilter.nf_conntrack_max", "65536"),
    )
    return DumpInput(
        f"sysctl-{at_s}.txt", None, Dump("sysctl", 2, (), T0_NS + at_s * S, "text", settings=settings)
    )
