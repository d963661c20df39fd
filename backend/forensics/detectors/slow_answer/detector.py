"""Answers that are late for their kind of request although the server's kernel had the request at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from backend.forensics.addresses import address_text
from backend.forensics.cases.case import Flow, packets_of
from backend.forensics.cases.slow_answer import LateAnswer, SlowAnswer
from backend.forensics.connections import NEVER
from backend.forensics.detection.contract import Detection
from backend.forensics.detection.present import draw_instances, event_with_packets, present_case
from backend.forensics.detectors.slow_answer.spells import Spell, find_spell
from backend.forensics.detectors.slow_answer.thresholds import DEFAULT, Thresholds
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.requests.service_times import LATE_LEAST_NS, ShapeTimes
from backend.forensics.findings import plural, seconds_text
from backend.forensics.report import FindingPart

KIND = "slow-answer"


@dataclass(frozen=True)
class _Case:
    """A shape of requests with late answers that the network did not delay. `at` are their positions."""

    shape: ShapeTimes
    at: Ints
    spell: Spell | None

    @property
    def lost_s(self) -> float:
        return float((self.shape.waited_ns[self.at] - self.shape.usual_ns).sum()) / 1e9


def detect(facts: Facts, thresholds: Thresholds = DEFAULT) -> Detection:
    """One finding per server and shape of request."""
    if not facts.has_packets:
        return Detection("not-checkable", "needs a capture")
    if not len(facts.exchanges):
        return Detection(
            "not-checkable", "needs clear-text HTTP/1: only there requests can be matched with responses"
        )
    cases = [case for shape in facts.service_times if (case := _case(shape, thresholds)) is not None]
    late = sum(int(shape.late.sum()) for shape in facts.service_times)
    why = (
        f"{plural(late, 'response')} to {plural(len(facts.exchanges), 'request')} took {LATE_LEAST_NS / 1e6:g} ms or "
        "more and ten times the baseline of the endpoint"
    )
    cases.sort(key=lambda c: (c.spell is None, -c.lost_s, str(c.shape.server), c.shape.request))
    judged = [_judge(facts, case, thresholds) for case in cases[: thresholds.findings_most]]
    return Detection.of(why, judged, partial(_present, thresholds=thresholds))


def _case(shape: ShapeTimes, thresholds: Thresholds) -> _Case | None:
    """None where too few of the late requests were acknowledged promptly."""
    prompt = shape.late & (shape.acknowledged_ns != NEVER)
    prompt &= shape.acknowledged_ns <= thresholds.acknowledged_ms * 1e6
    for short_ns in (shape.acknowledged_ns, shape.round_trip_ns):
        prompt &= (short_ns == NEVER) | (short_ns <= thresholds.short_ratio * shape.waited_ns)
    at = np.flatnonzero(prompt)
    if len(at) < thresholds.late_least:
        return None
    return _Case(shape, at, find_spell(prompt, thresholds))


def _judge(facts: Facts, late: _Case, thresholds: Thresholds) -> SlowAnswer:
    shape, at, spell = late.shape, late.at, late.spell
    waited_ns = shape.waited_ns[at]
    trips = shape.round_trip_ns[at][shape.round_trip_ns[at] != NEVER]
    known = shape.asked_others[at][~np.isnan(shape.asked_others[at])]
    clients = _clients(facts, late)
    usual = f"{seconds_text(shape.usual_ns / 1e9)} ({shape.usual_percentile}th percentile)"
    instances = _instances(facts, late)
    return SlowAnswer(
        severity="warning" if spell is not None else "info",
        confidence=thresholds.confidence if spell is not None else thresholds.confidence_mixed,
        summary=(
            f"{len(at):,} of {plural(len(shape.late), 'response')} from {shape.server} to {shape.request} "
            "took a median of "
            f"{seconds_text(float(np.median(waited_ns / 1e9)))}; the baseline is {usual}. The "
            f"requests were acknowledged promptly.{_spell_words(late)}"
        ),
        count=len(at),
        first_ns=int(shape.start_ns[at].min()),
        last_ns=int((shape.start_ns[at] + waited_ns).max()),
        time_lost_s=late.lost_s,
        flows=tuple(Flow("tcp", client, shape.server) for client in clients[:100]),
        instances=instances,
        evidence=packets_of(instances, "the end of the request and the start of the response"),
        request=shape.request,
        requests_total=len(shape.late),
        usual_ms=round(shape.usual_ns / 1e6, 3),
        late_median_ms=round(float(np.median(waited_ns)) / 1e6, 3),
        late_max_ms=round(float(waited_ns.max()) / 1e6, 3),
        acknowledged_median_ms=round(float(np.median(shape.acknowledged_ns[at])) / 1e6, 3),
        round_trip_median_ms=round(float(np.median(trips)) / 1e6, 3) if len(trips) else None,
        clients_late=len(clients),
        timed_at_server=int(np.count_nonzero(shape.at_server[at])),
        asked_others_median_ratio=round(float(np.median(known)), 3) if len(known) else None,
        data_sent_again=int(np.count_nonzero(shape.sent_again[at])),
        spell_requests=spell.requests if spell else 0,
        spell_late=spell.late if spell else 0,
        spell_by_chance=float(f"{spell.by_chance:.2g}") if spell else None,
    )


def _spell_words(case: _Case) -> str:
    spell, shape = case.spell, case.shape
    if spell is None:
        return " Fast and slow responses alternate: no interval stands out."
    last = spell.last
    span_s = (shape.start_ns[last] + shape.waited_ns[last] - shape.start_ns[spell.first]) / 1e9
    return (
        f" {spell.late:,} of them belong to the {spell.requests:,} requests of one interval of "
        f"{seconds_text(float(span_s))}; "
        "before and after it responses were fast."
    )


def _clients(facts: Facts, case: _Case) -> list[str]:
    table = facts.exchanges.addresses
    numbers = np.unique(case.shape.client[case.at]).tolist()
    return sorted(address_text(int(table.high[n]), int(table.low[n])) for n in numbers)


def _frames(case: _Case) -> list[tuple[tuple[str, int], tuple[str, int]]]:
    place = {n: k for k, n in enumerate(case.shape.late_at.tolist())}
    return [case.shape.frames[place[n]] for n in case.at.tolist()]


def _instances(facts: Facts, late: _Case) -> tuple[LateAnswer, ...]:
    shape = late.shape
    return tuple(
        LateAnswer(
            start_ns=int(shape.start_ns[n]),
            end_ns=int(shape.start_ns[n] + shape.waited_ns[n]),
            lane=facts.attempts.places[int(shape.place[n])].id,
            packets=packets,
            waited_ms=round(int(shape.waited_ns[n]) / 1e6, 3),
            acknowledged_ms=round(int(shape.acknowledged_ns[n]) / 1e6, 3),
        )
        for n, packets in zip(late.at.tolist(), _frames(late), strict=True)
    )


def _present(case: SlowAnswer, thresholds: Thresholds) -> FindingPart:
    return present_case(
        case,
        f"Slow responses from {case.target} to {case.request}",
        events=[event_with_packets(one) for one in case.instances],
        marks=draw_instances(
            case.instances[: thresholds.marked],
            "bracket",
            "stall",
            label=lambda one: f"{case.request}: {seconds_text(one.seconds)}",
            value=lambda one: one.seconds,
        ),
    )
