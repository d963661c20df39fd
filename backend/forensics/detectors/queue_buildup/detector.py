"""Finds queues between two hosts that filled up and drained at the rate of a link."""

from __future__ import annotations

from collections import Counter

import numpy as np

from backend.forensics.detection.contract import Detection
from backend.forensics.detection.held_intervals import (
    draw_marks,
    list_events,
    sample_evidence,
    sample_table,
    utc,
)
from backend.forensics.detectors.queue_buildup.thresholds import DEFAULT, Thresholds
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.far_side import BACK, BEYOND, FORTH
from backend.forensics.evidence.held_groups import HeldGroup
from backend.forensics.evidence.queue_signs import GENTLE
from backend.forensics.evidence.stalls import HeldInterval, HeldPair, held_pairs, without_mirrored
from backend.forensics.findings import plural, seconds_text
from backend.forensics.report import FindingPart, Severity

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
    findings = tuple(_finding(facts, pair, n, thresholds) for n, pair in enumerate(filled, 1))
    loud = any(f.severity != "info" for f in findings)
    queues = sum(len(pair.intervals) for pair in filled)
    why = f"{plural(queues, 'queue')} that filled and drained, in {plural(total, 'round trip')}"
    return Detection("found" if loud else "clear", why, findings)


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
    if longest_ms < thresholds.loud_ms:
        return "info"
    return "critical" if longest_ms >= thresholds.critical_ms else "warning"


def _measures(pair: HeldPair) -> dict[str, object]:
    groups = [group for interval in pair.intervals for group in interval.groups]
    told = Counter(sign for interval in pair.intervals for sign in interval.signs)
    base_ns = np.concatenate([group.series.base_ns[group.held] for group in groups])
    directions = {DIRECTIONS[interval.part] for interval in pair.intervals} - {"unknown"}
    return {
        "queue_max_ms": round(max(interval.longest_ns for interval in pair.intervals) / 1e6, 3),
        "baseline_ms": round(float(np.median(base_ns)) / 1e6, 3),
        "samples_held": sum(interval.samples for interval in pair.intervals),
        "slope_median": round(float(np.median([group.slope for group in groups])), 3),
        "burst_max_bytes": max(group.burst_bytes for group in groups),
        "usual_bytes": groups[0].usual_bytes,
        "signs": dict(sorted(told.items())),
        "direction": directions.pop() if len(directions) == 1 else "unknown",
    }


def _finding(facts: Facts, pair: HeldPair, number: int, thresholds: Thresholds) -> FindingPart:
    intervals, measures = pair.intervals, _measures(pair)
    longest = seconds_text(max(interval.longest_ns for interval in intervals) / 1e9)
    gentle_only = all(set(interval.signs) == {GENTLE} for interval in intervals)
    waited_ns = sum(group.waited_ns for interval in intervals for group in interval.groups)
    sign = max(sorted(measures["signs"]), key=lambda s: measures["signs"][s])  # type: ignore[call-overload,index]
    return FindingPart(
        id=f"{KIND}-{number}",
        kind=KIND,
        severity=_severity(intervals, thresholds),
        confidence=thresholds.confidence_gentle if gentle_only else thresholds.confidence,
        title=f"Bufferbloat on the path to {pair.responder}",
        summary=(
            f"{plural(len(intervals), 'time')}, responses from {pair.responder} to {pair.prober} waited up "
            f"to {longest} in "
            f"a queue that filled and drained: {sign}."
        ),
        count=len(intervals),
        first=utc(facts, intervals[0], min(interval.start_ns for interval in intervals)),
        last=utc(facts, intervals[0], max(interval.end_ns for interval in intervals)),
        time_lost_s=round(waited_ns / 1e9, 6),
        measures=measures,  # type: ignore[arg-type]
        affected=[{"protocol": "ip", "source": pair.prober, "destination": pair.responder}],
        events=list_events(facts, intervals, DIRECTIONS),
        evidence=sample_evidence(facts, intervals, "delayed requests and their responses"),
        marks=draw_marks(facts, intervals),
        tables=[sample_table(facts, intervals)],
    )
