"""The part of the report that two investigations' kernels are compared by: how far each counter rose."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from backend.forensics.evidence.kernel.counter_series import CounterSeries, CounterValue
from backend.forensics.report import CounterSetPart, EvidencePart

SETS_LISTED = 100
"""Listings of one kind of one machine, or of one network interface or control group of it."""
COUNTERS_LISTED = 1_000
"""Of one listing; `nstat -a` has about 400."""
LINES_LISTED = 50
NS_PER_S = 1_000_000_000


def list_counter_sets(series: Sequence[CounterSeries]) -> list[CounterSetPart]:
    """By kind, host and subject; counters between contradicting dumps are left out."""
    sets: dict[tuple[str, str, str], list[CounterSeries]] = defaultdict(list)
    for each in series:
        if each.rise is not None:
            sets[each.kind, each.host, each.subject].append(each)
    return [_set_of(sets[key]) for key in sorted(sets)][:SETS_LISTED]


def _set_of(series: list[CounterSeries]) -> CounterSetPart:
    # Where a counter stands in fewer dumps than the others, its rise is one of another time.
    spans = Counter(_span(each) for each in series)
    usual = max(spans, key=lambda span: (spans[span], span))
    whole = [each for each in series if _span(each) == usual]
    risen = [each for each in whole if each.rise]
    kept = sorted(
        [*risen, *(each for each in whole if not each.rise)][:COUNTERS_LISTED], key=lambda s: s.name
    )
    first, last = whole[0].steps[0].before, whole[0].steps[-1].after
    return CounterSetPart(
        kind=series[0].kind,
        host=series[0].host,
        subject=series[0].subject,
        seconds=_seconds(first, last),
        rises={each.name: each.rise for each in kept if each.rise is not None},
        evidence=[
            _evidence(first, [each.steps[0].before for each in risen]),
            _evidence(last, [each.steps[-1].after for each in risen]),
        ],
    )


def _span(series: CounterSeries) -> tuple[str, int, str, int]:
    before, after = series.steps[0].before, series.steps[-1].after
    return before.input, before.time_ns or 0, after.input, after.time_ns or 0


def _seconds(first: CounterValue, last: CounterValue) -> float | None:
    if first.time_ns is None or last.time_ns is None or last.time_ns <= first.time_ns:
        return None
    return round((last.time_ns - first.time_ns) / NS_PER_S, 6)


def _evidence(dump: CounterValue, values: list[CounterValue]) -> EvidencePart:
    lines = sorted({line for value in values for line in value.lines}) or list(dump.lines)
    return EvidencePart(input=dump.input, lines=lines[:LINES_LISTED])
