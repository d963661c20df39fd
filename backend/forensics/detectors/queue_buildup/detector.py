"""Finds queues between two hosts that filled up and drained at the rate of a link."""

from __future__ import annotations

from collections import Counter
from functools import partial

import numpy as np

from backend.forensics.cases.case import Flow
from backend.forensics.cases.queue_buildup import QueueBuildup
from backend.forensics.detection.contract import Detection
from backend.forensics.detection.held_intervals import (
    is_timed,
    present_held,
    sample_evidence,
)
from backend.forensics.detectors.queue_buildup.thresholds import DEFAULT, Thresholds
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.round_trips.far_side import BACK, BEYOND, FORTH
from backend.forensics.evidence.round_trips.held_groups import HeldGroup
from backend.forensics.evidence.round_trips.queue_signs import GENTLE
from backend.forensics.evidence.round_trips.stalls import HeldInterval, HeldPair, held_pairs, without_mirrored
from backend.forensics.findings import plural, seconds_text
from backend.forensics.report import FindingPart, Severity
from backend.forensics.wording import times_text

KIND = "queue-buildup"
DIRECTIONS = {FORTH: "request path", BACK: "reply path", BEYOND: "unknown", "": "unknown"}


def detect(facts: Facts, thresholds: Thresholds = DEFAULT) -> Detection:
    """One finding per pair of hosts."""
    total = facts.round_trips.total
    if not total:
        needs = (
            "no packet was captured together with its response" if facts.has_packets else "needs a capture"
        )
        return Detection("not-checkable", f"{needs}, and no ping or hping3 output with times was given")
    pairs = held_pairs(
        facts.round_trips,
        facts.held_groups,
        facts.far_side,
        is_held=lambda group: is_drain(group, thresholds),
        limits=thresholds.queue,
    )
    filled = without_mirrored([p for p in (_filled(pair) for pair in pairs) if p.intervals])
    queues = sum(len(pair.intervals) for pair in filled)
    why = f"{plural(queues, 'queue')} that filled and drained, in {plural(total, 'round trip')}"
    return Detection.of_groups(why, filled, partial(_case, facts, thresholds), partial(_present, facts))


def is_drain(group: HeldGroup, thresholds: Thresholds) -> bool:
    """Whether late answers came as a queue gives them back that drains at the rate of a link."""
    return (
        len(group.held) >= thresholds.samples
        and not group.opens_listing
        and thresholds.steepest_slope <= group.slope <= thresholds.gentlest_slope
        and group.answered_span_ns <= thresholds.answered_span_ratio * group.sent_span_ns
        and group.by_chance <= thresholds.by_chance
    )


def _filled(pair: HeldPair) -> HeldPair:
    kept = tuple(interval for interval in pair.intervals if interval.signs)
    return HeldPair(pair.prober, pair.responder, pair.capture, pair.key, pair.reverse_key, kept)


def _severity(intervals: tuple[HeldInterval, ...], thresholds: Thresholds) -> Severity:
    longest_ms = max(interval.longest_ns for interval in intervals) / 1e6
    if longest_ms < thresholds.notable_ms:
        return "info"
    return "critical" if longest_ms >= thresholds.critical_ms else "warning"


def _case(facts: Facts, thresholds: Thresholds, pair: HeldPair) -> QueueBuildup:
    intervals = pair.intervals
    groups = [group for interval in intervals for group in interval.groups]
    signs = dict(sorted(Counter(sign for interval in intervals for sign in interval.signs).items()))
    base_ns = np.concatenate([group.series.base_ns[group.held] for group in groups])
    directions = {DIRECTIONS[interval.part] for interval in intervals} - {"unknown"}
    longest_ns = max(interval.longest_ns for interval in intervals)
    gentle_only = all(set(interval.signs) == {GENTLE} for interval in intervals)
    timed = is_timed(facts, intervals[0])
    return QueueBuildup(
        severity=_severity(intervals, thresholds),
        confidence=thresholds.confidence_gentle if gentle_only else thresholds.confidence,
        summary=(
            f"{times_text(len(intervals)).capitalize()}, responses from {pair.responder} to {pair.prober} waited up to "
            f"{seconds_text(longest_ns / 1e9)} in a queue that filled and drained: {_seen(signs, len(intervals))}."
        ),
        count=len(intervals),
        first_ns=min(interval.start_ns for interval in intervals) if timed else None,
        last_ns=max(interval.end_ns for interval in intervals) if timed else None,
        time_lost_s=sum(group.waited_ns for group in groups) / 1e9,
        flows=(Flow("ip", pair.prober, pair.responder),),
        evidence=tuple(sample_evidence(facts, intervals, "delayed requests and their responses")),
        queue_max_ms=round(longest_ns / 1e6, 3),
        baseline_ms=round(float(np.median(base_ns)) / 1e6, 3),
        samples_held=sum(interval.samples for interval in intervals),
        slope_median=round(float(np.median([group.slope for group in groups])), 3),
        burst_max_bytes=max(group.burst_bytes for group in groups),
        usual_bytes=groups[0].usual_bytes,
        signs=signs,
        direction=directions.pop() if len(directions) == 1 else "unknown",
    )


def _seen(signs: dict[str, int], intervals: int) -> str:
    """The most common sign, and of how many times it is true."""
    sign = max(signs, key=signs.__getitem__)
    return sign if signs[sign] == intervals else f"in {signs[sign]:,} of {intervals:,} {sign}"


def _present(facts: Facts, pair: HeldPair, case: QueueBuildup) -> FindingPart:
    title = f"Bufferbloat on the path to {pair.responder}"
    return present_held(facts, case, title, pair.intervals, DIRECTIONS)
