"""Finds intervals in which a queue between two hosts stood still, by the answers that it gave back together."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial

import numpy as np

from backend.forensics.cases.case import Flow
from backend.forensics.cases.rtt_backlog import RttBacklog, Stall
from backend.forensics.detection.contract import Detection
from backend.forensics.detection.held_intervals import (
    answers_within_ms,
    is_timed,
    present_held,
    sample_evidence,
)
from backend.forensics.detectors.rtt_backlog.thresholds import DEFAULT, Thresholds
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kernel.onset_periods import OnsetPeriod, find_period
from backend.forensics.evidence.round_trips.far_side import BACK, BEYOND, FORTH
from backend.forensics.evidence.round_trips.held_groups import HeldGroup
from backend.forensics.evidence.round_trips.stalls import HeldInterval, HeldPair, held_pairs, without_mirrored
from backend.forensics.findings import seconds_text
from backend.forensics.report import FindingPart, Severity
from backend.forensics.round_trips import ECHO, KIND_NAMES
from backend.forensics.wording import plural, times_text

KIND = "rtt-backlog"
UNKNOWN = "unknown"
DIRECTIONS = {FORTH: "request path", BACK: "reply path", BEYOND: UNKNOWN, "": UNKNOWN}


@dataclass(frozen=True)
class Backlog:
    """The stalls of one pair of hosts in one direction."""

    pair: HeldPair
    direction: str
    stalls: tuple[HeldInterval, ...]


def detect(facts: Facts, thresholds: Thresholds = DEFAULT) -> Detection:
    """One finding per pair of hosts and direction."""
    total = facts.round_trips.total
    if not total:
        needs = (
            "no packet was captured together with its response" if facts.has_packets else "needs a capture"
        )
        return Detection("not-checkable", f"{needs}, and no ping or hping3 output with times was given")
    backlogs = find_backlogs(facts, thresholds)
    stalls = sum(len(each.stalls) for each in backlogs)
    why = (
        f"{plural(stalls, 'batch', 'batches')} of responses delayed and released together, in "
        f"{plural(total, 'round trip')}"
    )
    return Detection.of_groups(why, backlogs, partial(_case, facts, thresholds), partial(_present, facts))


def find_backlogs(facts: Facts, thresholds: Thresholds) -> list[Backlog]:
    """All of them, by first stall."""
    pairs = held_pairs(
        facts.round_trips,
        facts.held_groups,
        facts.far_side,
        is_held=lambda group: is_stall(group, thresholds),
        limits=thresholds.queue,
    )
    stood = [_standing(pair) for pair in pairs]
    found = []
    for pair in without_mirrored([p for p in stood if p.intervals]):
        by_direction: dict[str, list[HeldInterval]] = {}
        for interval in pair.intervals:
            by_direction.setdefault(DIRECTIONS[interval.part], []).append(interval)
        found += [
            Backlog(pair, direction, tuple(stalls)) for direction, stalls in _settled(by_direction).items()
        ]
    return sorted(found, key=lambda b: (b.stalls[0].start_ns, b.pair.prober, b.pair.responder, b.direction))


def _standing(pair: HeldPair) -> HeldPair:
    """Only the intervals without signs of a queue that filled up."""
    kept = tuple(interval for interval in pair.intervals if not interval.signs)
    return HeldPair(pair.prober, pair.responder, pair.capture, pair.key, pair.reverse_key, kept)


def _settled(by_direction: dict[str, list[HeldInterval]]) -> dict[str, list[HeldInterval]]:
    """Stalls that were seen from one end only go with those of the one direction that most others had."""
    known = [each for each in by_direction if each != UNKNOWN]
    unknown = by_direction.get(UNKNOWN, [])
    if len(known) == 1 and len(by_direction[known[0]]) >= len(unknown):
        joined = sorted([*by_direction[known[0]], *unknown], key=lambda interval: interval.start_ns)
        return {known[0]: joined}
    return dict(sorted(by_direction.items()))


def is_stall(group: HeldGroup, thresholds: Thresholds) -> bool:
    """Whether late answers came together as a queue that stood still gives them back."""
    held = len(group.held)
    return (
        held >= thresholds.samples
        and not group.opens_listing
        and group.kernel_answered >= thresholds.kernel_answers
        and thresholds.steepest_slope <= group.slope <= thresholds.gentlest_slope
        and group.answered_span_ns <= thresholds.answered_span_ratio * group.sent_span_ns
        and held >= thresholds.held_share * (held + group.late_outside)
        and group.by_chance <= thresholds.by_chance
    )


def _is_notable(stall: HeldInterval, thresholds: Thresholds) -> bool:
    longest_ms = stall.longest_ns / 1e6
    if longest_ms < thresholds.noticed_ms:
        return False
    return stall.samples >= thresholds.notable_samples or longest_ms >= thresholds.notable_ms


def _severity(backlog: Backlog, thresholds: Thresholds) -> Severity:
    notable = sum(_is_notable(stall, thresholds) for stall in backlog.stalls)
    if not notable:
        return "info"
    return "critical" if notable >= thresholds.critical_stalls else "warning"


def _period(backlog: Backlog) -> OnsetPeriod | None:
    return find_period(np.array([stall.start_ns / 1e9 for stall in backlog.stalls]))


def _clock_offset_s(facts: Facts, backlog: Backlog) -> float | None:
    """The responder's capture minus the prober's, None where only one end was captured."""
    places = facts.attempts.places
    far = Counter(places[view.place].input for stall in backlog.stalls for view in stall.views)
    if not far:
        return None
    near = facts.round_trips.sources[backlog.pair.capture].input
    offset = facts.clocks.between(far.most_common(1)[0][0], near)
    return round(offset.offset_ns / 1e9, 6) if offset else None


def _usual_beyond_us(backlog: Backlog) -> float | None:
    """What a question usually takes behind the farther vantage point: next to nothing at the responder itself."""
    times_ns = [view.turnaround_ns for stall in backlog.stalls for view in stall.views]
    return round(float(np.median(times_ns)) / 1e3, 1) if times_ns else None


def _usual_between_us(backlog: Backlog) -> float | None:
    times_ns = [view.transit_ns for stall in backlog.stalls for view in stall.views]
    return round(float(np.median(times_ns)) / 1e3, 1) if times_ns else None


def _case(facts: Facts, thresholds: Thresholds, backlog: Backlog) -> RttBacklog:
    stalls, pair = backlog.stalls, backlog.pair
    groups = [group for stall in stalls for group in stall.groups]
    rows = facts.round_trips.rows[np.concatenate([stall.rows for stall in stalls])]
    base_ns = np.concatenate([group.series.base_ns[group.held] for group in groups])
    kinds = Counter(KIND_NAMES[int(kind)] for kind in rows["kind"].tolist())
    period, severity = _period(backlog), _severity(backlog, thresholds)
    lengths_ms = [stall.longest_ns / 1e6 for stall in stalls]
    timed = is_timed(facts, stalls[0])
    beyond = sum(stall.part == BEYOND for stall in stalls)
    baseline_ms = round(float(np.median(base_ns)) / 1e6, 3)
    period_s = round(period.period_s, 6) if period else None
    return RttBacklog(
        severity=severity,
        confidence=_confidence(backlog, severity, thresholds),
        summary=_summary(backlog, baseline_ms, beyond, period_s),
        count=len(stalls),
        first_ns=min(stall.start_ns for stall in stalls) if timed else None,
        last_ns=max(stall.end_ns for stall in stalls) if timed else None,
        time_lost_s=sum(group.waited_ns for group in groups) / 1e9,
        flows=(Flow("ip", pair.prober, pair.responder),),
        evidence=tuple(sample_evidence(facts, stalls, "held requests and their responses")),
        stall_max_ms=round(max(stall.longest_ns for stall in stalls) / 1e6, 3),
        stall_median_ms=round(float(np.median(lengths_ms)), 3),
        baseline_ms=baseline_ms,
        samples_held=len(rows),
        samples_by_kind=dict(sorted(kinds.items())),
        direction=backlog.direction,
        clock_offset_s=_clock_offset_s(facts, backlog),
        slope_median=round(float(np.median([group.slope for group in groups])), 3),
        echo_stalls=sum(_holds_echo(facts, stall) for stall in stalls),
        partial_stalls=sum(_is_partial(stall) for stall in stalls),
        usual_beyond_far_capture_us=_usual_beyond_us(backlog),
        held_beyond_far_capture=beyond,
        both_ways_stalls=sum(_is_both_ways(facts, stall) for stall in stalls),
        routed=_is_routed(facts, backlog),
        usual_between_captures_us=_usual_between_us(backlog),
        period_s=period_s,
        period_p_value=period.p_value if period else None,
        by_chance=max(group.by_chance for group in groups),
        stalls=tuple(_stall(facts, each) for each in stalls),
        prober=pair.prober,
        responder=pair.responder,
    )


def _stall(facts: Facts, stall: HeldInterval) -> Stall:
    trips = facts.round_trips
    source = trips.sources[int(trips.capture[stall.rows[0]])]
    return Stall(
        start_ns=stall.start_ns,
        end_ns=stall.end_ns,
        lane="",
        samples=stall.samples,
        longest_ms=round(stall.longest_ns / 1e6, 3),
        answers_within_ms=answers_within_ms(stall),
        input=source.input,
        sent_numbers=tuple(sorted(int(number) for number in trips.rows["sent_frame"][stall.rows])),
        printed=source.printed,
        timed=source.timed,
    )


def _confidence(backlog: Backlog, severity: Severity, thresholds: Thresholds) -> float:
    if severity == "info":
        return thresholds.confidence_quiet
    known = backlog.direction != UNKNOWN
    return thresholds.confidence_both_ends if known else thresholds.confidence_one_end


def _holds_echo(facts: Facts, stall: HeldInterval) -> bool:
    return bool((facts.round_trips.rows["kind"][stall.rows] == ECHO).any())


def _is_partial(stall: HeldInterval) -> bool:
    """Other flows of the pair were answered at once: one of several receive queues stood still."""
    return any(group.flows_unaffected for group in stall.groups)


def _is_both_ways(facts: Facts, stall: HeldInterval) -> bool:
    """Packets of the other direction waited between the same two vantage points, and came with the held ones."""
    trips, crossings = facts.round_trips, facts.late_crossings
    for view in stall.views:
        place, end_ns = int(trips.place[stall.rows[0]]), stall.end_ns
        if view.part == FORTH:
            place, end_ns = view.place, int(trips.rows["sent_ns"][view.rows].max())
        known = view.part in (FORTH, BACK)
        if view.against or (known and crossings.released_with(place, end_ns - stall.longest_ns, end_ns)):
            return True
    return False


def _is_routed(facts: Facts, backlog: Backlog) -> bool:
    """Of the host whose queue stood still, as far as the direction shows it."""
    trips = facts.round_trips
    views = [view for stall in backlog.stalls for view in stall.views]
    if not views:
        return False
    end, row = (
        ("prober", int(backlog.stalls[0].rows[0]))
        if backlog.direction == DIRECTIONS[BACK]
        else ("responder", int(views[0].rows[0]))
    )
    address = (int(trips.rows[f"{end}_{part}"][row]) for part in ("high", "low"))
    return facts.routed_hosts.passed_router(int(trips.place[row]), *address)


def _summary(backlog: Backlog, baseline_ms: float, beyond: int, period_s: float | None) -> str:
    longest = seconds_text(max(stall.longest_ns for stall in backlog.stalls) / 1e9)
    behind = 2 * beyond > len(backlog.stalls)
    ways = {"request path": ", on the request path", "reply path": ", on the reply path"}
    where = ways.get(backlog.direction, ", beyond the vantage point nearest to it" if behind else "")
    period = f", every {period_s:.4g} s" if period_s else ""
    times = times_text(len(backlog.stalls)).capitalize()
    return (
        f"{times}{period}, responses from {backlog.pair.responder} to {backlog.pair.prober} were delayed by "
        f"up to {longest} (baseline RTT {seconds_text(baseline_ms / 1e3)}) and released together{where}."
    )


def _present(facts: Facts, backlog: Backlog, case: RttBacklog) -> FindingPart:
    return present_held(facts, case, f"Batched responses from {case.responder}", backlog.stalls, DIRECTIONS)
