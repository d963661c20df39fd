"""Positive. The table is at its limit, and the kernel says three times that it drops packets.

Messages as on a real kernel (Linux 6.1): 0.2 and 1.0 s apart, the words of nf_conntrack_core.c.
"""

from __future__ import annotations

from backend.forensics.dumps import Dump, KernelMessage, Setting
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.tests.build_capture import T0_NS, S
from backend.forensics.tests.samples import Expected

EXPECTED = Expected("critical", 3)
LOGGED_S = (84.291095, 84.489544, 85.506160)
TEXT = "nf_conntrack: nf_conntrack: table full, dropping packet"


def build() -> Facts:
    messages = tuple(KernelMessage(line, at_s, None, TEXT) for line, at_s in enumerate(LOGGED_S, start=1))
    log = DumpInput("dmesg.txt", None, Dump("kernel-log", 3, (), messages=messages))
    return gather_facts([], [log, _sizes(65_536, 86)])


def _sizes(count: int, at_s: int) -> DumpInput:
    settings = (
        Setting(1, "net.netfilter.nf_conntrack_count", str(count)),
        Setting(2, "net.netfilter.nf_conntrack_max", "65536"),
    )
    return DumpInput(
        f"sysctl-{at_s}.txt", None, Dump("sysctl", 2, (), T0_NS + at_s * S, "text", settings=settings)
    )
