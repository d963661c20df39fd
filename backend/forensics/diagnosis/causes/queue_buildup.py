"""A queue on the path fills up and drains at the rate of its link (bufferbloat): more arrives than is sent.

Large buffers in modems, shapers, switches and network cards keep what they cannot send. Each packet then waits for all
before it (Gettys and Nichols 2011, doi 10.1145/2063166.2071893); active queue management drops early (RFC 8290)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.cases.queue_buildup import QueueBuildup
from backend.forensics.cases.rtt_backlog import RttBacklog
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import TIME_LOST, Hypothesis, Weighed
from backend.forensics.diagnosis.held_answers import whole
from backend.forensics.diagnosis.measured import harmful
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.round_trips.queue_signs import ARRIVALS, BURST, GENTLE, RISING, WAITED
from backend.forensics.findings import plural, seconds_text
from backend.forensics.report import ClaimPart, MissingPart, RemedyPart, RivalPart
from backend.forensics.wording import times_text

CAUSE = "queue-buildup"
TITLE = "Bufferbloat (standing queue)"
ALTERNATIVES: Final = (
    Alternative(
        "Receive-queue stall",
        "the RTT falls to the baseline at once and in a straight line; a queue drains as it fills",
    ),
    Alternative("High propagation delay", "the RTT is the same without load"),
)
COLLECT: Final = (
    MissingPart(
        what="The backlog of the sender's queues while RTTs are high",
        command="for i in $(seq 100); do date +%s.%N; tc -s qdisc show; sleep 0.1; done",
    ),
)
PRIOR = -0.5

WEIGHTS = {
    RISING: (
        1.5,
        "in a stall the first packet waits longest; in a filling queue it waits least",
    ),
    WAITED: (0.4, "a queue that fills quickly, or the end of another pause"),
    BURST: (1.5, "the sender's burst leaves the queue before later packets"),
    ARRIVALS: (1.5, "a stalled queue forwards nothing"),
    GENTLE: (0.8, "a link drains packet by packet; a stall releases all at once"),
}

REFERENCES = (
    "RFC 8290: FlowQueue-CoDel",
    "Gettys and Nichols, Bufferbloat: dark buffers in the Internet (2011)",
    "Linux tc-fq_codel(8), tc-cake(8), BQL (lib/dynamic_queue_limits.c)",
)


FILLING = (RISING, BURST, ARRIVALS)
"""Signs of traffic that filled it; the others show how it was emptied."""
FILLED_SHARE = 0.5
"""Of the batches so many have a sign that traffic filled the queue, or stalls between the same hosts explain them."""
UNDECIDED_CEILING = 0.49
"""How a queue was emptied decides nothing by itself: what a paused device held also leaves at the rate of a link."""

REFUTATION = "it would be refuted by a queue that is empty while RTTs are high"


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per finding that is more than harmless."""
    stalls = [each for each in findings if isinstance(each, RttBacklog)]
    return [_hypothesis(each, _stalls_beside(each, stalls)) for each in harmful(findings, QueueBuildup)]


def _stalls_beside(finding: QueueBuildup, stalls: Sequence[RttBacklog]) -> int:
    """Stalls of the same two hosts in the same direction, where they are more than what filled; else 0. One that ends
    while a busy CPU still works off what had come looks like a queue that drains at the rate of a link."""
    same = sum(
        each.count
        for each in stalls
        if each.flows == finding.flows and finding.direction in (each.direction, "unknown")
    )
    filled = max(finding.signs.get(sign, 0) for sign in FILLING)
    return same if same > finding.count and filled < FILLED_SHARE * finding.count else 0


def _hypothesis(finding: QueueBuildup, stalls: int) -> Hypothesis:
    signs, target = finding.signs, finding.target
    longest = seconds_text(finding.queue_max_ms / 1e3)
    pieces = [
        Weighed(WEIGHTS[sign][0], f"In {count} of {finding.count}: {sign}.", whole(finding), WEIGHTS[sign][1])
        for sign, count in signs.items()
        if sign in WEIGHTS
    ]
    if stalls:
        text = (
            f"Between the same two hosts {plural(stalls, 'batch', 'batches')} came without a sign of a queue."
        )
        pieces.append(
            Weighed(-1.0, text, whole(finding), "one mechanism explains both: something that stalls")
        )
    filled = any(sign in signs for sign in FILLING)
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="stall",
        statement=(
            f"{times_text(finding.count).capitalize()} a standing queue to {target} delayed responses "
            f"by up to {longest}."
        ),
        prior=PRIOR,
        steps=(ClaimPart(role="step", text=finding.summary, evidence=whole(finding)),),
        weighed=tuple(pieces),
        both_sides=finding.direction != "unknown",
        independent=False,
        signs=sum(piece.weight > 0 for piece in pieces),
        findings=(finding.id,),
        time_lost_s=finding.time_lost_s,
        rivals=_rivals(filled),
        missing=_missing(),
        remedies=_remedies(target, longest),
        references=REFERENCES,
        refutation=REFUTATION,
        figures=(("longest", longest), (TIME_LOST, seconds_text(finding.time_lost_s))),
        ceiling=0.999 if filled and not stalls else UNDECIDED_CEILING,
    )


def _rivals(filled: bool) -> tuple[RivalPart, ...]:
    return (
        RivalPart(
            cause="receive-queue-stall",
            title="Receive-queue stall (softirq not scheduled)",
            status="ruled-out" if filled else "cannot-tell",
            because=(
                "traffic filled the queue before RTTs rose"
                if filled
                else "only the slope distinguishes the two here"
            ),
            command=None if filled else "tcpdump -i any -y LINUX_SLL2 -s 96 -w responder.pcap",
        ),
    )


def _missing() -> tuple[MissingPart, ...]:
    return (
        MissingPart(
            what="Which queue it is: the backlog of the sender's own queues at the time of the high RTTs",
            command="for i in $(seq 100); do date +%s.%N; tc -s qdisc show; sleep 0.1; done",
        ),
    )


def _remedies(target: str, longest: str) -> tuple[RemedyPart, ...]:
    return (
        RemedyPart(
            what="Enable active queue management before the slowest link",
            command="tc qdisc replace dev eth0 root fq_codel",
            applies_to=f"the sender's side of the slowest link to {target}",
            check="tc -s qdisc show dev eth0",
            proof=f"RTTs under the same load stay below {longest}",
            undo="tc qdisc replace dev eth0 root pfifo_fast",
            side_effect="large transfers see drops earlier and slow down",
            versions="fq_codel since Linux 3.5",
        ),
        RemedyPart(
            what="Shape the sender to just below the rate of the slowest link",
            command="tc qdisc replace dev eth0 root cake bandwidth 95mbit",
            applies_to="the sender",
            check="tc -s qdisc show dev eth0",
            proof=f"RTTs under the same load stay below {longest}",
            undo="tc qdisc del dev eth0 root",
            side_effect="the rate is capped even where the path could carry more",
            versions="cake since Linux 4.19",
        ),
    )
