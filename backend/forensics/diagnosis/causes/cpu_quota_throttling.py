"""A CPU quota is exhausted: the processes of a cgroup are throttled until the next period, 100 ms by default.

CFS bandwidth control (kernel/sched/fair.c, sched_cfs_period_timer) stops the threads of a cgroup for the rest of a
period. The kernel's own responses continue, so delayed handshakes and echoes contradict it, unless the
responder's network is itself a process in such a group (a user-space proxy, a virtual machine's network)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.cases.rtt_backlog import RttBacklog
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.held_answers import (
    Held,
    figures,
    held_words,
    one_stall,
    read_held,
    same_end,
    whole,
)
from backend.forensics.diagnosis.measured import harmful
from backend.forensics.diagnosis.throttled_answers import slow_answers
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kernel.kernel_signs import counter_rise
from backend.forensics.findings import line_evidence
from backend.forensics.report import MissingPart, RemedyPart, RivalPart

CAUSE = "cpu-quota-throttling"
TITLE = "CPU quota throttling"
ALTERNATIVES: Final = (
    Alternative(
        "Receive-queue stall",
        "the kernel's own answers (echo, SYN-ACK) are late, too; a quota holds the process alone",
    ),
    Alternative(
        "Slow responses of one kind of request",
        "they are late by what they ask for, not in groups that end at the same moment",
    ),
)
COLLECT: Final = (
    MissingPart(
        what="Throttling of the cgroup of the responder's processes, before and after",
        command="grep . /sys/fs/cgroup/*/cpu.stat; sleep 60; grep . /sys/fs/cgroup/*/cpu.stat",
    ),
)
PRIOR = -1.2
PERIOD_S = 0.1
"""cpu.cfs_period_us and the second number of cpu.max by default."""
LONGEST_PERIODS = 10
NEAR = 0.02
"""A period measured over several stalls is that of the scheduler's timer to within this (ratio)."""

REFERENCES = (
    "Documentation/scheduler/sched-bwc.rst: quota and period, 100 ms by default; nr_throttled in cpu.stat",
    "kernel/sched/fair.c: sched_cfs_period_timer()",
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per pair of hosts whose stalls begin at multiples of the scheduler's period, and one per server
    with late answers whose host throttled a control group meanwhile."""
    held = [read_held(f) for f in harmful(findings, RttBacklog)]
    of_stalls = [_hypothesis(facts, each) for each in held if keeps_period(each.period_s)]
    return [*of_stalls, *slow_answers(facts, findings, CAUSE, TITLE, REFERENCES)]


def keeps_period(period_s: float | None) -> bool:
    """Whether onsets keep 100 ms or a small multiple of it."""
    if period_s is None:
        return False
    multiple = round(period_s / PERIOD_S)
    return 1 <= multiple <= LONGEST_PERIODS and abs(period_s - multiple * PERIOD_S) <= NEAR * period_s


def _throttled(facts: Facts) -> list[Weighed]:
    """The kernel counts every period in which a group was stopped."""
    rise = counter_rise(facts.kernel, "cpu-stat", "nr_throttled")
    if rise is None:
        return []
    text = f"cpu.stat: nr_throttled +{rise.by:,} {rise.between_dumps}."
    evidence = line_evidence(rise.lines)
    if rise.by:
        return [
            Weighed(2.5, text, evidence, "each is a period in which a cgroup was throttled until the next")
        ]
    return [Weighed(-4.0, text, evidence, "every throttled period is counted")]


def _hypothesis(facts: Facts, held: Held) -> Hypothesis:
    counted = _throttled(facts)
    beat = Weighed(
        1.8,
        f"The stalls begin every {held.period_s:.4g} s, a multiple of the scheduler's period of 100 ms.",
        whole(held.finding),
        "quotas are refilled every 100 ms unless another period is set",
    )
    kernel = Weighed(
        -0.9,
        "The kernel's own responses were delayed, which a quota does not affect.",
        whole(held.finding),
        "possible only where a process in such a cgroup forwards the responder's packets",
    )
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="stall",
        statement=f"{held.responder} may be throttled by a CPU quota {held_words(held)}: the stalls have its period.",
        prior=PRIOR,
        steps=one_stall(held),
        weighed=(beat, kernel, same_end(held), *counted),
        both_sides=False,
        independent=bool(counted),
        signs=int(any(piece.weight > 0 for piece in counted)),
        findings=(held.finding.id,),
        time_lost_s=0.0,
        rivals=(
            RivalPart(
                cause="receive-queue-stall",
                title="Receive-queue stall (softirq not scheduled)",
                status="cannot-tell",
                because="a poller can have the same period",
                command="softirqslower 10000",
            ),
        ),
        missing=(
            MissingPart(
                what="Throttling of the cgroup of the responder's processes, before and after",
                command="grep . /sys/fs/cgroup/*/cpu.stat; sleep 60; grep . /sys/fs/cgroup/*/cpu.stat",
            ),
        ),
        remedies=(
            RemedyPart(
                what="Raise or remove the CPU limit of the cgroup",
                command=None,
                applies_to=f"the processes of {held.responder}",
                check="cpu.stat: nr_throttled and throttled_usec rise",
                proof="nr_throttled stays flat under the same load, without batched responses",
                undo="Restore the previous limit",
                side_effect="the cgroup can take CPU time from others",
                versions="quotas lost what was not used of them until 5.4, 4.19.84 and 4.14.154",
            ),
        ),
        references=REFERENCES,
        refutation="it would be refuted by an nr_throttled that stays flat",
        figures=figures(held),
    )
