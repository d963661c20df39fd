"""What listings of a host's programs and counters say of its stalls, as weighed evidence."""

from __future__ import annotations

from collections.abc import Sequence

from backend.forensics.diagnosis.contract import Weighed
from backend.forensics.evidence.counters import KernelFacts
from backend.forensics.evidence.culprits import Culprit, StallSpan, find_culprits
from backend.forensics.evidence.kernel_signs import counter_rise
from backend.forensics.findings import line_evidence, plural
from backend.forensics.report import MissingPart

SHOWN = 3
"""Culprits that are told: who comes after them was there less often."""
WHO = MissingPart(
    what="which process held up the receiving CPU: a listing of who ran when each echo was taken",
    command=(
        'bpftrace -e \'BEGIN { printf("TGID PID PROCESS ICMP_SEQ\\n") } kprobe:icmp_echo { $h = (struct icmphdr *)'
        "(((struct sk_buff *)arg0)->head + ((struct sk_buff *)arg0)->transport_header); "
        'printf("%d %d %s %d\\n", pid, tid, comm, bswap($h->un.echo.sequence)); }\''
    ),
)
SOFTNET = MissingPart(
    what="whether the kernel's network work ran out of its time: the rise over a stall",
    command="cat /proc/net/softnet_stat; sleep 60; cat /proc/net/softnet_stat",
)


def who_ran(stalls: Sequence[StallSpan], kernel: KernelFacts) -> tuple[Culprit, ...]:
    """Processes that were there at the ends of stalls so often that chance is no explanation."""
    return tuple(culprit for culprit in find_culprits(stalls, kernel.dumps) if culprit.sure)[:SHOWN]


def culprit_claims(culprits: Sequence[Culprit]) -> list[Weighed]:
    """One claim a culprit; the first weighs."""
    return [
        Weighed(
            2.5 if number == 0 else 0.5,
            culprit.statement,
            line_evidence([(culprit.input, line) for line in culprit.lines], f"{culprit.process} at a drain"),
            "a source other than the packets puts one process at the end of stalls, more often than by chance",
        )
        for number, culprit in enumerate(culprits)
    ]


def softnet_claims(kernel: KernelFacts) -> list[Weighed]:
    """Rises of /proc/net/softnet_stat: packets left for later, or thrown away, by the CPU that should take them."""
    texts = {
        "time_squeeze": "the kernel's network work was cut short {} with packets left",
        "dropped": "packets were dropped {} at the entrance of a CPU's queue",
    }
    weights = {"time_squeeze": 0.7, "dropped": 1.0}
    found = []
    for name, text in texts.items():
        rise = counter_rise(kernel, "softnet-stat", name)
        if rise is not None and rise.by > 0:
            said = f"{text.format(plural(rise.by, 'time'))} (softnet_stat {name} +{rise.by:,})"
            reason = "a CPU that cannot keep up with its queue shows it there; bursts of traffic do as well"
            found.append(Weighed(weights[name], said, line_evidence(rise.lines), reason))
    return found


def quota_claims(kernel: KernelFacts) -> list[Weighed]:
    """Rises of cpu.stat: how often a control group had used up its CPU time."""
    throttled = counter_rise(kernel, "cpu-stat", "nr_throttled")
    if throttled is None:
        return []
    periods = counter_rise(kernel, "cpu-stat", "nr_periods")
    of = f" of {plural(periods.by, 'period')}" if periods is not None and periods.by else ""
    if throttled.by == 0:
        text = f"no control group ran out of its CPU quota (nr_throttled +0{of})"
        reason = "a quota that never ran out held up nobody"
        return [Weighed(-2.0, text, line_evidence(throttled.lines), reason)]
    text = f"a control group ran out of its CPU quota {plural(throttled.by, 'time')}{of}"
    reason = "the kernel itself counts the periods in which it stopped the group's threads"
    return [Weighed(2.0, text, line_evidence(throttled.lines), reason)]
