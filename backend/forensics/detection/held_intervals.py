"""What a chart draws of intervals in which answers were held, events and rows: the same for all detectors of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from backend.forensics.addresses import endpoint_text
from backend.forensics.cases.case import Case
from backend.forensics.detection.present import present_case
from backend.forensics.evidence.clocks.sightings import Place
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.round_trips.held_groups import HeldGroup
from backend.forensics.evidence.round_trips.stalls import HeldInterval
from backend.forensics.findings import frame_evidence, line_evidence, plural, rfc3339, seconds_text
from backend.forensics.report import ColumnPart, EvidencePart, FindingPart, MarkPart, TablePart
from backend.forensics.round_trips import KIND_NAMES

ROWS_SHOWN = 1_000
MARKED_INTERVALS = 200
"""Intervals drawn on the timeline; all are in the events."""
MARKED_SAMPLES = 500
"""Teeth of combs drawn."""
_COLUMNS = (
    ("stall", ""),
    ("sent", "UTC"),
    ("round trip", "ms"),
    ("baseline", "ms"),
    ("kind", ""),
    ("source", ""),
    ("destination", ""),
    ("seen at", ""),
    ("input", ""),
    ("frame", ""),
    ("answer's frame", ""),
)


def sample_evidence(facts: Facts, intervals: Sequence[HeldInterval], note: str = "") -> list[EvidencePart]:
    """Frames of every held question and answer, those at the farther vantage point included; lines of a listing."""
    trips = facts.round_trips
    frames: list[tuple[str, int]] = []
    lines: list[tuple[str, int]] = []
    for interval in intervals:
        for rows in (interval.rows, *(view.rows for view in interval.views)):
            for at in rows.tolist():
                source = trips.sources[int(trips.capture[at])]
                sources = lines if source.printed else frames
                sources += [
                    (source.input, int(trips.rows[name][at])) for name in ("sent_frame", "answer_frame")
                ]
    return [*frame_evidence(frames, note), *line_evidence(lines, note)]


def is_timed(facts: Facts, interval: HeldInterval) -> bool:
    """Whether its times are UTC: listings without times count from their first probe."""
    return facts.round_trips.sources[int(facts.round_trips.capture[interval.rows[0]])].timed


def utc(facts: Facts, interval: HeldInterval, time_ns: int) -> str | None:
    """A time of the interval, None where only its distance from the first probe is known."""
    return rfc3339(time_ns) if is_timed(facts, interval) else None


def present_held(
    facts: Facts, case: Case, title: str, stalls: Sequence[HeldInterval], directions: Mapping[str, str]
) -> FindingPart:
    """The finding with its events, marks and rows."""
    return present_case(
        case,
        title,
        events=_list_events(facts, stalls, directions),
        marks=_draw_marks(facts, stalls),
        tables=[_sample_table(facts, stalls)],
    )


def _list_events(
    facts: Facts, stalls: Sequence[HeldInterval], directions: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Each stall, from the first held question to the last answer."""
    return [_event(facts, stall, instance, directions) for instance, stall in enumerate(stalls, start=1)]


def answers_within_ms(stall: HeldInterval) -> float:
    """Milliseconds from the first answer of a group to the last; of a listing less what is not known of its times."""
    return round(max(map(_answers_within_ns, stall.groups)) / 1e6, 3)


def _answers_within_ns(group: HeldGroup) -> int:
    return int(np.ptp(group.series.answered_ns[group.held])) if group.exact_times else group.answered_span_ns


def _event(facts: Facts, stall: HeldInterval, instance: int, directions: Mapping[str, str]) -> dict[str, Any]:
    trips = facts.round_trips
    kinds = sorted({KIND_NAMES[int(kind)] for kind in trips.rows["kind"][stall.rows].tolist()})
    source = trips.sources[int(trips.capture[stall.rows[0]])]
    after_s = {} if source.timed else {"start_s": stall.start_ns / 1e9, "end_s": stall.end_ns / 1e9}
    where = {} if source.printed else {"vantage_point": _place(facts, stall.rows[0]).id}
    return {
        "start": utc(facts, stall, stall.start_ns),
        "end": utc(facts, stall, stall.end_ns),
        **after_s,
        "instance": instance,
        "samples": stall.samples,
        "flows_stalled": sum(group.flows_stalled for group in stall.groups),
        "flows_unaffected": max(group.flows_unaffected for group in stall.groups),
        "longest_ms": round(stall.longest_ns / 1e6, 3),
        "slope": round(stall.groups[0].slope, 4),
        "answers_within_ms": answers_within_ms(stall),
        "kinds": kinds,
        "direction": directions[stall.part],
        **where,
        "input": source.input,
        "lines" if source.printed else "frames": sorted(int(f) for f in trips.rows["sent_frame"][stall.rows]),
    }


def _place(facts: Facts, at: int) -> Place:
    return facts.attempts.places[int(facts.round_trips.place[at])]


def _draw_marks(facts: Facts, stalls: Sequence[HeldInterval]) -> list[MarkPart]:
    """A band per stall, and in it a tooth per sample: when it was sent, and as high as it waited."""
    marks: list[MarkPart] = []
    teeth = 0
    for instance, stall in enumerate(stalls[:MARKED_INTERVALS], start=1):
        if facts.round_trips.sources[int(facts.round_trips.capture[stall.rows[0]])].printed:
            continue  # no lane of packets to draw it in
        lane = _place(facts, stall.rows[0]).id
        marks.append(_band(facts, stall, instance, lane))
        for at in stall.rows.tolist():
            teeth += 1
            if teeth <= MARKED_SAMPLES:
                marks.append(_tooth(facts, at, instance, lane))
    return marks


def _band(facts: Facts, stall: HeldInterval, instance: int, lane: str) -> MarkPart:
    length_s = stall.longest_ns / 1e9
    return MarkPart(
        glyph="band",
        role="stall",
        basis="seen",
        start=_on_one_clock(facts, stall.rows[0], stall.start_ns),
        end=_on_one_clock(facts, stall.rows[0], stall.end_ns),
        lanes=[lane],
        evidence=sample_evidence(facts, [stall]),
        label=f"{plural(stall.samples, 'answer')} delayed by up to {seconds_text(length_s)}",
        instance=instance,
        value=length_s * 1e3,
    )


def _on_one_clock(facts: Facts, at: int, time_ns: int) -> str:
    """A time of the capture of that sample on the clock on which lanes and their packets are drawn."""
    return rfc3339(facts.clocks.at_reference(int(facts.round_trips.capture[at]), time_ns))


def _tooth(facts: Facts, at: int, instance: int, lane: str) -> MarkPart:
    row = facts.round_trips.rows[at]
    name = _place(facts, at).input
    sent_ns, rtt_ns = int(row["sent_ns"]), int(row["rtt_ns"])
    return MarkPart(
        glyph="comb",
        role="stall",
        basis="seen",
        start=_on_one_clock(facts, at, sent_ns),
        end=_on_one_clock(facts, at, sent_ns + rtt_ns),
        lanes=[lane],
        evidence=frame_evidence([(name, int(row["sent_frame"])), (name, int(row["answer_frame"]))]),
        label=f"{KIND_NAMES[int(row['kind'])]} answered after {seconds_text(rtt_ns / 1e9)}",
        instance=instance,
        value=rtt_ns / 1e6,
    )


def _sample_table(facts: Facts, stalls: Sequence[HeldInterval]) -> TablePart:
    """One row per held sample, by stall and time."""
    rows: list[list[Any]] = []
    for instance, stall in enumerate(stalls, start=1):
        for group in stall.groups:
            base = dict(zip(group.rows.tolist(), group.series.base_ns[group.held].tolist(), strict=True))
            for at in group.rows.tolist():
                if len(rows) < ROWS_SHOWN:
                    rows.append(_row(facts, at, instance, base[at]))
    columns = [ColumnPart(name=name, unit=unit) for name, unit in _COLUMNS]
    total = sum(stall.samples for stall in stalls)
    return TablePart(name="held round trips", columns=columns, rows=rows, rows_total=total)


def _row(facts: Facts, at: int, instance: int, base_ns: int) -> list[Any]:
    row, source = facts.round_trips.rows[at], facts.round_trips.sources[int(facts.round_trips.capture[at])]
    ends = [
        endpoint_text(int(row[f"{end}_high"]), int(row[f"{end}_low"]), int(row[f"{end}_port"]))
        for end in ("prober", "responder")
    ]
    if source.printed:
        ends = ["", source.target]
    return [
        instance,
        rfc3339(int(row["sent_ns"])) if source.timed else round(int(row["sent_ns"]) / 1e9, 6),
        round(int(row["rtt_ns"]) / 1e6, 3),
        round(base_ns / 1e6, 3),
        KIND_NAMES[int(row["kind"])],
        *ends,
        "" if source.printed else _place(facts, at).name,
        source.input,
        int(row["sent_frame"]),
        int(row["answer_frame"]),
    ]
