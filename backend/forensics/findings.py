"""Words and shapes that findings share: times, evidence, plain figures."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from functools import lru_cache

from backend.forensics.evidence.kernel.counter_series import CounterSeries
from backend.forensics.report import EvidencePart, MarkPart
from backend.forensics.wording import plural as plural  # noqa: PLC0414 - part of this module, too

FRAMES_SHOWN = 1_000
"""Frames listed per input in one piece of evidence; the tables and events hold the rest."""


def rfc3339(time_ns: int) -> str:
    """UTC with nanoseconds: ``2026-11-21T01:11:43.487264000Z``."""
    seconds, rest = divmod(time_ns, 1_000_000_000)
    whole = _whole_seconds(seconds)
    return "1970-01-01T00:00:00.000000000Z" if whole is None else f"{whole}.{rest:09d}Z"


@lru_cache(maxsize=4096)
def _whole_seconds(seconds: int) -> str | None:
    """None where the calendar has no such time. Kept: events of a report share their seconds."""
    try:
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}"
    except (OverflowError, OSError, ValueError):
        return None


def frame_evidence(frames: Iterable[tuple[str, int]], note: str = "") -> list[EvidencePart]:
    """(input, frame) pairs as evidence, one part per input, frames in order and without repeats."""
    by_input: dict[str, set[int]] = {}
    for name, frame in frames:
        by_input.setdefault(name, set()).add(frame)
    # `lines` is given because pydantic makes a deep copy of a default, which takes longer than all else here.
    return [
        EvidencePart(input=name, frames=sorted(by_input[name])[:FRAMES_SHOWN], lines=[], note=note)
        for name in sorted(by_input)
    ]


def line_evidence(lines: Iterable[tuple[str, int]], note: str = "") -> list[EvidencePart]:
    """(input, line) pairs as evidence, one part per dump."""
    by_input: dict[str, set[int]] = {}
    for name, line in lines:
        by_input.setdefault(name, set()).add(line)
    return [
        EvidencePart(input=name, lines=sorted(by_input[name])[:FRAMES_SHOWN], note=note)
        for name in sorted(by_input)
    ]


DRAWN_COUNTERS = {"conntrack-stats": frozenset(("insert_failed", "drop", "early_drop"))}
"""Kind of dump -> the counters whose rises belong on the timeline."""


def drawn_series(series: Iterable[CounterSeries]) -> list[CounterSeries]:
    """Those of them that a timeline shows."""
    return [each for each in series if each.name in DRAWN_COUNTERS.get(each.kind, ())]


def counter_lane(series: CounterSeries) -> str:
    """Id of the lane that the steps of a kind of counters are drawn in."""
    return f"kernel:{series.kind}@{series.host}" if series.host else f"kernel:{series.kind}"


def step_marks(series: CounterSeries) -> list[MarkPart]:
    """A step for each rise between two dumps with times, from the one to the other: when in between is not known."""
    return [
        MarkPart(
            glyph="step",
            role="neutral",
            basis="seen",
            start=rfc3339(step.before.time_ns),
            end=rfc3339(step.after.time_ns),
            lanes=[counter_lane(series)],
            evidence=line_evidence(
                (value.input, line) for value in (step.before, step.after) for line in value.lines
            ),
            label=f"{series.name} {step.before.total:,} → {step.after.total:,}",
            value=float(step.rise),
        )
        for step in series.steps
        if step.rise and step.before.time_ns is not None and step.after.time_ns is not None
    ]


SHORTEST_MS = 0.01
WHOLE_SECONDS_FROM = 100
"""Tenths of a longer time show a reader nothing more."""


def seconds_text(seconds: float) -> str:
    """``1,037 ms`` below ten seconds, ``52.8 s`` and ``10,512 s`` above; ``0.52 ms``, never a rounded 0."""
    if seconds >= 10:
        return f"{seconds:,.1f} s" if seconds < WHOLE_SECONDS_FROM else f"{seconds:,.0f} s"
    milliseconds = seconds * 1000
    if 0 < milliseconds < SHORTEST_MS:
        return f"less than {SHORTEST_MS} ms"
    return f"{milliseconds:,.0f} ms" if milliseconds >= 10 else f"{milliseconds:.2f} ms"


def lost_text(seconds: float) -> str:
    """Of time lost in all: ``6.0 s`` from a second on, where the wait of one connection is ``1,037 ms``."""
    return f"{seconds:,.1f} s" if 1 <= seconds < WHOLE_SECONDS_FROM else seconds_text(seconds)
