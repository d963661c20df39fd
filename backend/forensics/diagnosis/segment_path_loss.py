"""Path loss as data shows it: segments that left one vantage point and did not reach the next."""

from __future__ import annotations

from collections.abc import Sequence

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.lost_syns import REFUTES
from backend.forensics.diagnosis.segment_cases import (
    CAPTURE_BOTH_ENDS,
    RECEIVER_COUNTERS,
    SegmentCase,
    fate_frames,
    places,
    segment_cases,
    where,
)
from backend.forensics.evidence.facts import Facts
from backend.forensics.findings import line_evidence
from backend.forensics.report import MissingPart, RemedyPart, RivalPart

PRIOR = -0.6
ONE_PLACE_CEILING = 0.49
"""From one vantage point a lost segment, a lost acknowledgement, a receiver that dropped it and a device that delayed
all of them look alike."""
FAST_LEAST = 3


def data_hypotheses(
    facts: Facts, findings: Sequence[Case], *, cause: str, title: str, references: tuple[str, ...]
) -> list[Hypothesis]:
    """One per server to or from which data waited for the timer."""
    return [_hypothesis(facts, case, cause, title, references) for case in segment_cases(facts, findings)]


def _hypothesis(
    facts: Facts, case: SegmentCase, cause: str, title: str, references: tuple[str, ...]
) -> Hypothesis:
    lost = case.of("lost between", "answer lost")
    pieces = [
        _usual(case),
        *_between(case),
        *_in_node(case),
        *_answers(case),
        *_arrived(case),
        *_counted(case),
        *_beyond(case),
        *_fast(case),
        *_lossy(facts, case),
    ]
    return Hypothesis(
        cause=cause,
        title=title,
        role="loss",
        statement=case.statement(_lost_where(case)),
        prior=PRIOR,
        steps=case.story(),
        weighed=tuple(pieces),
        both_sides=bool(lost),
        independent=False,
        signs=sum(piece.weight > 0 for piece in pieces[1:]),
        findings=(case.finding.id,),
        time_lost_s=case.lost_s,
        rivals=(_receiver_rival(case),),
        missing=(*(() if case.followed else (CAPTURE_BOTH_ENDS,)), _HOPS, RECEIVER_COUNTERS),
        remedies=_REMEDIES,
        references=references,
        refutation="it would be refuted by segments that reach the receiver's vantage point each time",
        figures=case.figures(),
        ceiling=0.999 if case.followed else ONE_PLACE_CEILING,
        returning=all(one.sender == "server" for one in case.finding.instances),
        explains=case.frames_of("lost between", "answer lost", "beyond", "one place"),
    )


def _lost_where(case: SegmentCase) -> str:
    if lost := case.of("lost between", "answer lost"):
        return f"lost on the path, {where(lost)}"
    if inside := case.of("in node"):
        return f"lost inside the node, {where(inside)}"
    return "lost on the path, or dropped by the receiver"


def _usual(case: SegmentCase) -> Weighed:
    total, touched = case.finding.connections_total, case.finding.connections
    text = f"RTO retransmissions in {touched:,.0f} of {total:,.0f} connections."
    return Weighed(
        0.4, text, list(case.finding.evidence), "loss on the path is the most common reason, not the only one"
    )


def _between(case: SegmentCase) -> list[Weighed]:
    lost = case.of("lost between")
    if not lost:
        return []
    text = (
        f"{len(lost):,} of {case.followed:,} segments were retransmitted at {places(lost, 'near')}, and "
        f"captured less often at {places(lost, 'far')}."
    )
    return [
        Weighed(
            2.6 * len(lost) / case.followed, text, fate_frames(lost), "both sides of the loss were captured"
        )
    ]


def _in_node(case: SegmentCase) -> list[Weighed]:
    inside = case.of("in node")
    if not inside:
        return []
    text = f"{len(inside):,} of {case.followed:,} segments were lost inside the node, {where(inside)}."
    weight = REFUTES * len(inside) / case.followed
    return [Weighed(weight, text, fate_frames(inside), "the path begins behind the node")]


def _answers(case: SegmentCase) -> list[Weighed]:
    lost = case.of("answer lost")
    if not lost:
        return []
    text = (
        f"{len(lost):,} of {case.followed:,} segments had reached {places(lost, 'far')} and been "
        "acknowledged there: the ACK was lost."
    )
    return [
        Weighed(2.2 * len(lost) / case.followed, text, fate_frames(lost), "this is loss on the return path")
    ]


def _arrived(case: SegmentCase) -> list[Weighed]:
    arrived = case.of("arrived")
    if not arrived:
        return []
    text = (
        f"{len(arrived):,} of {case.followed:,} segments reached {places(arrived, 'far')} each time "
        "they were sent, and were not acknowledged."
    )
    reason = "nothing was lost up to the vantage point nearest to the receiver"
    return [Weighed(-4.0 * len(arrived) / case.followed, text, fate_frames(arrived), reason)]


def _counted(case: SegmentCase) -> list[Weighed]:
    counted, rise = case.of("counted"), case.counted
    if not counted or rise is None:
        return []
    text = f"{rise.name} of {case.finding.target}'s host rose by {rise.by:,}: it received packets and dropped them."
    reason = "what the receiver's host drops was not lost on the path"
    return [Weighed(-4.0 * len(counted) / case.followed, text, line_evidence(rise.lines), reason)]


def _beyond(case: SegmentCase) -> list[Weighed]:
    beyond = case.of("beyond")
    if not beyond:
        return []
    far = places(beyond, "far")
    text = (
        f"{len(beyond):,} of {len(case.fates):,} segments passed {far} each time: they were lost, dropped or "
        "delayed behind it."
    )
    return [Weighed(0.3, text, fate_frames(beyond), "behind it are the rest of the path and the receiver")]


def _fast(case: SegmentCase) -> list[Weighed]:
    fast = case.finding.fast
    if fast < FAST_LEAST:
        return []
    text = f"{fast:,} more segments were retransmitted after duplicate ACKs."
    reason = "the receiver reported gaps (duplicate ACKs): later segments arrived, these did not"
    return [Weighed(0.6, text, list(case.finding.evidence), reason)]


def _lossy(facts: Facts, case: SegmentCase) -> list[Weighed]:
    if not facts.quality.lossy or not case.followed:
        return []
    text = f"Packets are missing from the capture ({facts.quality.lost_segments:,} ACKs for uncaptured data)."
    reason = "an uncaptured segment looks like one that did not arrive"
    return [Weighed(-1.5, text, list(case.finding.evidence), reason)]


def _receiver_rival(case: SegmentCase) -> RivalPart:
    cause, title = "receiver-drop", "Dropped by the receiving host"
    arrived, command = case.of("arrived"), RECEIVER_COUNTERS.command
    if case.counted is not None and case.of("counted"):
        because = f"{case.counted.name} of its host rose by {case.counted.by:,}"
        return RivalPart(cause=cause, title=title, status="possible", because=because, command=command)
    if arrived:
        because = f"{len(arrived):,} of {case.followed:,} segments reached its vantage point each time"
        return RivalPart(cause=cause, title=title, status="possible", because=because, command=command)
    if case.followed:
        because = "none of the located segments arrived without an ACK"
        return RivalPart(cause=cause, title=title, status="ruled-out", because=because)
    because = "from one vantage point it looks the same"
    return RivalPart(cause=cause, title=title, status="cannot-tell", because=because, command=command)


_HOPS = MissingPart(what="Loss per hop of the path", command="mtr -rwc 100 HOST")

_REMEDIES = (
    RemedyPart(
        what="Find the drop: compare loss per hop, then the drop counters of the interfaces and shapers around it",
        command="mtr -rwc 100 HOST",
        applies_to="the network between the two hosts",
        check="ip -s link; tc -s qdisc; ethtool -S eth0 | grep -iE 'drop|err|miss|exceeded'",
        proof="RTO retransmissions fall to the rate of other destinations",
        undo="Not needed: read-only",
        side_effect="routers rate-limit ICMP: loss at a single intermediate hop is not real",
    ),
)
