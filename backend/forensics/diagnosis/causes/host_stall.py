"""The responder stalls: requests reach its vantage point on time and are answered late, all together.

A virtual machine that its hypervisor does not run (steal, a snapshot, a migration), or a kernel that does not get to
its softirqs on any CPU, sends nothing during the stall and answers all requests after it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.cases.rtt_backlog import RttBacklog
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.blocking_process_claims import blocking_process_claims, who_ran
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.held_answers import (
    Held,
    application_rivals,
    figures,
    held_words,
    kernel_answers,
    one_stall,
    read_held,
    same_end,
    whole,
)
from backend.forensics.diagnosis.measured import harmful
from backend.forensics.evidence.facts import Facts
from backend.forensics.findings import plural
from backend.forensics.report import MissingPart, RemedyPart, RivalPart

CAUSE = "host-stall"
TITLE = "Host stall (vCPU not running)"
ALTERNATIVES: Final = (
    Alternative(
        "Receive-queue stall",
        "other queues of the same host go on; a stalled host sends no packet",
    ),
    Alternative(
        "A link or device of the path that pauses", "the host's own capture shows it sending meanwhile"
    ),
)
COLLECT: Final = (
    MissingPart(
        what="Whether the host lost CPU time to the hypervisor (steal), per second",
        command="vmstat -t 1 60; dmesg -T | grep -iE 'lockup|stall|clocksource|hung task'",
    ),
)
PRIOR = -0.8
NEXT_TO_RESPONDER_US = 500.0
"""Undisturbed questions take this long at most behind a capture point in the responder itself, or right before it."""
NOT_NEAR_CEILING = 0.49
"""Behind a vantage point elsewhere the rest of the path may have stalled as well as the responder."""

REFERENCES = (
    "proc_stat(5): steal is time in which the hypervisor ran something else",
    "Documentation/admin-guide/lockup-watchdogs.rst: a CPU that does not get out of the kernel",
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per pair of hosts whose answers were held behind the farther capture point."""
    held = [read_held(f) for f in harmful(findings, RttBacklog)]
    return [_hypothesis(facts, each) for each in held if 2 * each.beyond > each.stalls]


def _hypothesis(facts: Facts, held: Held) -> Hypothesis:
    claims = blocking_process_claims(who_ran(facts, held.finding))
    usual = held.finding.usual_beyond_far_capture_us
    near = usual is not None and usual <= NEXT_TO_RESPONDER_US and not held.finding.routed
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="stall",
        statement=f"{held.responder} stalled {held_words(held)}: packets received meanwhile were answered together.",
        prior=PRIOR,
        steps=one_stall(held),
        weighed=(*_place(held, near, usual), kernel_answers(held), same_end(held), *_partial(held), *claims),
        both_sides=near,
        independent=bool(claims),
        signs=int(near) + int(bool(claims)),
        findings=(held.finding.id,),
        time_lost_s=held.finding.time_lost_s,
        rivals=_rivals(held, near),
        missing=_missing(held),
        remedies=_remedies(held),
        references=REFERENCES,
        refutation="it would be refuted by a process on that host that ran during the stalls",
        figures=figures(held),
        ceiling=0.999 if near else NOT_NEAR_CEILING,
    )


def _place(held: Held, near: bool, usual: float | None) -> list[Weighed]:
    text = (
        f"In {held.beyond} of {plural(held.stalls, 'stall')} the requests passed the far vantage point "
        "on time and were answered late behind it."
    )
    if near:
        text += f" The baseline behind it is {usual:,.0f} µs: it is at the responder, or next to it."
        return [Weighed(2.5, text, whole(held.finding), "only the responder lies behind that vantage point")]
    return [Weighed(0.5, text, whole(held.finding), "the path behind that vantage point was not captured")]


def _partial(held: Held) -> list[Weighed]:
    if not held.partial:
        return []
    text = (
        f"In {held.partial} of {plural(held.stalls, 'stall')} other flows were answered promptly meanwhile."
    )
    return [Weighed(-1.5, text, whole(held.finding), "a stalled host answers no flow")]


def _rivals(held: Held, near: bool) -> tuple[RivalPart, ...]:
    queue = RivalPart(
        cause="receive-queue-stall",
        title="Receive-queue stall (softirq not scheduled)",
        status="ruled-out" if near else "cannot-tell",
        because=(
            "the requests had passed the vantage point, which lies behind the receive queue"
            if near
            else "the far vantage point is not at the responder"
        ),
        command=None if near else "tcpdump -i any -y LINUX_SLL2 -s 96 -w responder.pcap",
    )
    return (queue, *application_rivals())


def _missing(held: Held) -> tuple[MissingPart, ...]:
    return (
        MissingPart(
            what=f"Whether {held.responder} lost CPU time to the hypervisor (steal), per second",
            command="vmstat -t 1 60; grep ^cpu /proc/stat; sleep 60; grep ^cpu /proc/stat",
        ),
        MissingPart(
            what="Its kernel log",
            command="dmesg -T | grep -iE 'lockup|stall|clocksource|hung task'",
        ),
    )


def _remedies(held: Held) -> tuple[RemedyPart, ...]:
    return (
        RemedyPart(
            what="Give the VM dedicated CPUs: no overcommitment, no snapshot or migration under load",
            applies_to=f"the hypervisor of {held.responder}",
            check="vmstat 1   # the column st is above 0 during the stalls",
            proof=f"the same probes for ten minutes: no batched responses above {held.longest}",
            undo="Restore the previous placement",
            side_effect="CPUs that other VMs cannot use",
        ),
    )
