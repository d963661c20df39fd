"""Counters of the kernels of both sides, one beside the other. They are shown and not judged: they count a whole
machine, whatever it did besides."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence

from backend.forensics.comparison.result import CounterPairPart, CounterSidePart
from backend.forensics.report import CounterSetPart, Report

COUNTERS_LISTED = 200
NAMES_SHOWN = 5
Pair = tuple[CounterSetPart, CounterSetPart]


def compare_counters(base: Report, candidate: Report) -> list[CounterPairPart]:
    """Every counter that rose on a side, what differs most first; of listings that both have."""
    pairs = _pairs(base.counters, candidate.counters)
    found = [part for pair in pairs for part in _side_by_side(pair)]
    order = sorted(found, key=lambda part: (-_distance(part), part.kind, part.host, part.subject, part.name))
    return order[:COUNTERS_LISTED]


def counters_not_compared(base: Report, candidate: Report) -> list[str]:
    """In sentences: listings of one side that the other lacks."""
    pairs = _pairs(base.counters, candidate.counters)
    lines = []
    for name, report, at in (("base", base, 0), ("candidate", candidate, 1)):
        paired = {id(pair[at]) for pair in pairs}
        alone = dict.fromkeys(_title(each) for each in report.counters if id(each) not in paired)
        if alone:
            shown = ", ".join(list(alone)[:NAMES_SHOWN])
            more = f" and {len(alone) - NAMES_SHOWN:,} more" if len(alone) > NAMES_SHOWN else ""
            lines.append(f"Only the {name} has counters of {shown}{more} before and after.")
    return lines


def _title(each: CounterSetPart) -> str:
    return " ".join(
        part for part in (each.kind, each.subject, f"on {each.host}" if each.host else "") if part
    )


def _pairs(base: Sequence[CounterSetPart], candidate: Sequence[CounterSetPart]) -> list[Pair]:
    """Of one kind and subject: of the same host, or the only host of either side, for machines change their names."""
    left, right = _grouped(base), _grouped(candidate)
    pairs: list[Pair] = []
    for key in sorted(left.keys() & right.keys()):
        if len(left[key]) == len(right[key]) == 1:
            pairs.append((left[key][0], right[key][0]))
            continue
        by_host = {each.host: each for each in left[key]}
        pairs += [(by_host[each.host], each) for each in right[key] if each.host in by_host]
    return pairs


def _grouped(sets: Sequence[CounterSetPart]) -> dict[tuple[str, str], list[CounterSetPart]]:
    found: dict[tuple[str, str], list[CounterSetPart]] = defaultdict(list)
    for each in sets:
        found[each.kind, each.subject].append(each)
    return found


def _side_by_side(pair: Pair) -> Iterable[CounterPairPart]:
    base, candidate = pair
    for name in sorted(base.rises.keys() | candidate.rises.keys()):
        if base.rises.get(name) or candidate.rises.get(name):
            yield CounterPairPart(
                kind=candidate.kind,
                host=candidate.host,
                subject=candidate.subject,
                name=name,
                base=_side(base, name),
                candidate=_side(candidate, name),
            )


def _side(each: CounterSetPart, name: str) -> CounterSidePart | None:
    if name not in each.rises:
        return None
    rise = each.rises[name]
    per_s = round(rise / each.seconds, 6) if each.seconds else None
    return CounterSidePart(rise=rise, seconds=each.seconds, per_s=per_s, evidence=each.evidence)


def _distance(part: CounterPairPart) -> float:
    """How many times one side has of the other, as a logarithm; by time where both know it."""
    sides = (part.base, part.candidate)
    timed = all(side is not None and side.per_s is not None for side in sides)
    first, second = (
        0.0 if side is None else (side.per_s or 0.0) if timed else float(side.rise) for side in sides
    )
    # One event more or less is no difference; of two rates the smaller counts as at least one in the longer time.
    least = min(1.0 / (side.seconds or 1.0) for side in sides if side is not None) if timed else 1.0
    return abs(math.log((second + least) / (first + least)))
