"""What the causes of lost data have in common: which segments of a finding vanished where, and what is asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from backend.forensics.cases.case import Case
from backend.forensics.cases.data_retransmission import DataRetransmission
from backend.forensics.diagnosis.contract import TIME_LOST
from backend.forensics.diagnosis.given_listings import ListingRequest
from backend.forensics.diagnosis.measured import harmful
from backend.forensics.diagnosis.owned_segments import owned_nodes
from backend.forensics.evidence.attempts.delays import Frame
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kernel.kernel_signs import Rise, counter_rise
from backend.forensics.evidence.losses.segment_losses import SegmentFate
from backend.forensics.findings import frame_evidence, plural, seconds_text
from backend.forensics.report import ClaimPart, EvidencePart, MissingPart
from backend.forensics.signals import SENT_AGAIN
from backend.forensics.wording import series_text

LEFT_LEAST = 3
"""Fewer segments beside those of another cause happen on any path."""
FATES_MOST = 2_000
"""Segments of a finding that are followed; more of them say the same."""

DROP_COUNTERS = ("TcpExtTCPBacklogDrop", "TcpExtTCPRcvQDrop", "TcpInCsumErrors", "TcpExtIPReversePathFilter")
"""Of nstat: each counts the packets that a host received and dropped (Documentation/networking/snmp_counter.rst)."""
COUNTED_SHARE = 0.5
"""A counter that rose by this share of the retransmitted segments is about them."""
PLACES_NAMED = 3

CAPTURE_BOTH_ENDS = MissingPart(
    what=(
        "Captures at both ends at the same time: packets that leave one end and do not reach the other "
        "were lost between"
    ),
    command="tcpdump -i any -y LINUX_SLL2 -s 96 -w end.pcap host OTHER",
)
RECEIVER_COUNTERS = ListingRequest(
    what="What the receiver's kernel dropped, before and after",
    command="nstat -az TcpExtTCPBacklogDrop TcpExtTCPRcvQDrop TcpExtPruneCalled TcpExtRcvPruned; "
    "ip -s link show dev eth0; cat /proc/net/softnet_stat",
    at="ends",
)


@dataclass(frozen=True)
class SegmentCase:
    """A finding of kind `data-retransmission` that users notice, and the fates of its segments."""

    finding: DataRetransmission
    fates: tuple[SegmentFate, ...]
    count: int
    """Segments that no more specific cause owns."""
    lost_s: float
    """What their senders waited."""
    counted: Rise | None = None
    """The server's own counter of dropped packets, where it rose with the segments that its clients sent again."""

    @property
    def followed(self) -> int:
        """Segments of which two vantage points, or the receiver's own counter, show where they were lost."""
        return len(self.of("lost between", "in node", "answer lost", "arrived", "counted"))

    def frames_of(self, *names: str) -> frozenset[Frame]:
        """Frames of those, for `Hypothesis.explains`."""
        return frozenset(frame for fate in self.of(*names) for frame in fate.frames)

    def of(self, *names: str) -> list[SegmentFate]:
        """Those with one of these fates."""
        return [fate for fate in self.fates if fate.fate in names]

    def statement(self, rest: str) -> str:
        """``12 segments to or from 192.0.2.10:443 waited 2.6 s for the timer: …``"""
        segments = plural(self.count, "segment")
        lost = seconds_text(self.lost_s)
        return (
            f"{segments} to or from {self.finding.target} waited {lost} for retransmission timeouts: {rest}."
        )

    def figures(self) -> tuple[tuple[str, str], ...]:
        """For the verdict strip."""
        shown = [(TIME_LOST, seconds_text(self.lost_s)), ("segments", f"{self.count:,}")]
        return (*shown, ("max", seconds_text(self.finding.wait_max_s)))

    def story(self) -> tuple[ClaimPart, ...]:
        """The finding in a sentence."""
        return (ClaimPart(role="step", text=self.finding.summary, evidence=list(self.finding.evidence)),)


def segment_cases(facts: Facts, findings: Sequence[Case]) -> list[SegmentCase]:
    """One per notable finding, in their order."""
    wanted = harmful(findings, DataRetransmission)
    if not wanted:
        return []
    anomalies = facts.anomalies
    at = np.flatnonzero((anomalies.rows["kind"] & SENT_AGAIN) != 0).tolist()
    row_of = dict(zip(anomalies.frames(at), at, strict=True))
    owned = owned_nodes(facts, findings, row_of)
    cases = (_case(facts, finding, row_of, owned) for finding in wanted)
    return [case for case in cases if case is not None]


def owned_findings(facts: Facts, findings: Sequence[Case]) -> frozenset[str]:
    """Ids of notable findings on lost data whose connections more specific causes explain."""
    left = {case.finding.id for case in segment_cases(facts, findings)}
    return frozenset(f.id for f in harmful(findings, DataRetransmission)) - left


def _case(
    facts: Facts, finding: DataRetransmission, row_of: dict[Frame, int], owned: frozenset[int]
) -> SegmentCase | None:
    """What is left of a finding beside the connections of more specific causes; None where too little is."""
    anomalies, left, waited_ns = facts.anomalies, [], 0
    for one in finding.instances:
        row = row_of.get(one.packets[0])
        if row is None or int(anomalies.node[row]) not in owned:
            left.append(row)
            waited_ns += 0 if row is None else int(anomalies.rows["silence_ns"][row])
    if len(left) < (LEFT_LEAST if owned else 1):
        return None
    counted = _counted(facts, finding)
    followed = [(row, _fate(facts, row, counted)) for row in left[:FATES_MOST] if row is not None]
    late = [row for row, fate in followed if fate.fate == "late"]
    if late and len(left) - len(late) < LEFT_LEAST:
        return None
    fates = tuple(fate for _, fate in followed if fate.fate != "late")
    whole = len(left) == len(finding.instances) and not late
    waited_ns -= int(anomalies.rows["silence_ns"][late].sum())
    count, lost_s = (
        (finding.count, finding.time_lost_s) if whole else (len(left) - len(late), waited_ns / 1e9)
    )
    return SegmentCase(finding, fates, count, lost_s, counted)


def _counted(facts: Facts, finding: DataRetransmission) -> Rise | None:
    """The drop counter of the server's host that rose most, if as many packets as this may be the segments."""
    host = facts.listed_hosts.at(finding.server)
    if not (host.sure or (host.known and len(facts.listed_hosts.hosts) > 1)):
        return None  # the listings of one host that nothing ties to this address may be those of the sender
    rises = [counter_rise(host.kernel, "nstat", name) for name in DROP_COUNTERS]
    best = max((rise for rise in rises if rise is not None), key=lambda rise: rise.by, default=None)
    least = max(LEFT_LEAST, COUNTED_SHARE * (finding.count + finding.fast))
    return best if best is not None and best.by >= least else None


def _fate(facts: Facts, row: int, counted: Rise | None) -> SegmentFate:
    """What no second vantage point shows of a segment to the server, its counter does."""
    fate = facts.segment_losses.fate_of(row)
    to_server = bool(facts.anomalies.rows["from_client"][row])
    open_end = fate.fate in ("beyond", "one place")
    return replace(fate, fate="counted") if counted is not None and to_server and open_end else fate


def fate_frames(fates: Sequence[SegmentFate]) -> list[EvidencePart]:
    """Frames of the segments sent again, at both places where both saw them."""
    frames: list[Frame] = [frame for fate in fates for frame in fate.frames]
    return frame_evidence(frames)


def places(fates: Sequence[SegmentFate], end: Literal["near", "far"]) -> str:
    """``cni0 or eth0``: where they were seen nearest to their senders, or to their receivers."""
    counted = Counter(getattr(fate, end).word for fate in fates)
    words = sorted(counted, key=lambda word: (-counted[word], word))
    shown = [
        f"{word}" for word in words[:PLACES_NAMED]
    ]  # an f-string keeps the bounds of somebody's own word
    if len(words) > PLACES_NAMED:
        shown.append(f"{len(words) - PLACES_NAMED:,} more")
    return " or ".join(shown)


def where(fates: Sequence[SegmentFate]) -> str:
    """``between cni0 and eth0``; lost on the way there and on the way back, ``in both directions``."""
    pairs = {(f"{fate.near.word}", f"{fate.far.word}") for fate in fates}
    if len(pairs) == 2 and all((far, near) in pairs for near, far in pairs):
        return f"between {series_text(sorted(min(pairs)))}, in both directions"
    return f"between {places(fates, 'near')} and {places(fates, 'far')}"
