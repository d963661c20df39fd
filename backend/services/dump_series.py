"""Kernel state over time: how counters rose from dump to dump, and how sizes and rates went up and down."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from backend.forensics.dumps import IpvsTraffic, RealServer, VirtualService
from backend.forensics.evidence.kernel.counter_series import (
    CounterSeries,
    CounterValue,
    Source,
    counter_series,
)
from backend.services.dump_tables import server_name, service_name
from backend.services.read_dumps import KeptDump, read_dumps
from backend.services.result_types import EpochNs
from backend.storage.store import Store
from backend.text_classes import FileText, FixedText, MachineText, ProseText

POINTS_AT_MOST: Final = 400
"""Of a longer series every so many points are sent; the first and the last always are."""

Nature = Literal["counter", "gauge"]


@dataclass(frozen=True)
class SeriesPoint:
    """The contents of one dump."""

    input: FileText
    lines: tuple[int, ...]
    time_ns: EpochNs | None
    value: int
    per_cpu: dict[str, int]
    """By CPU, empty for a value of the whole machine."""


@dataclass(frozen=True)
class DumpSeries:
    """A counter or a gauge over the dumps that show it."""

    kind: FixedText
    host: MachineText
    subject: ProseText
    """What it is of: a service, a real server of one, "" for the machine."""
    name: FixedText
    nature: Nature
    order: Literal["times", "counters"]
    rise: int | None
    """From the first to the last, wraps of 32-bit counters included; None where dumps contradict each other."""
    rise_per_cpu: dict[str, int]
    """Of counters that are listed by CPU."""
    points: tuple[SeriesPoint, ...]
    """At most 400, evenly chosen; `points_total` counts all."""
    points_total: int


@dataclass(frozen=True)
class SeriesList:
    """All series."""

    items: tuple[DumpSeries, ...]
    contradictions: tuple[ProseText, ...]
    """A sentence for each two dumps between which a counter falls."""


Key = tuple[str, str, str, str]
"""(kind, host, subject, name)"""


def list_series(store: Store, investigation_id: str) -> SeriesList:
    """Every counter and every gauge that at least two dumps hold; raises NotFound."""
    return series_of(read_dumps(store, investigation_id))


def series_of(dumps: Sequence[KeptDump]) -> SeriesList:
    """The same of dumps at hand."""
    counters, contradictions = counter_series([Source(d.file.name, d.host, d.dump) for d in dumps])
    gauges = _gauges(dumps)
    return SeriesList((*map(_of_counter, counters), *gauges), contradictions)


def _of_counter(series: CounterSeries) -> DumpSeries:
    values = [series.steps[0].before, *(step.after for step in series.steps)]
    points = [_point(value) for value in values]
    return DumpSeries(
        kind=series.kind,
        host=series.host,
        subject="",
        name=series.name,
        nature="counter",
        order=series.order,
        rise=series.rise,
        rise_per_cpu=_rise_per_cpu(series),
        points=_thinned(points),
        points_total=len(points),
    )


def _point(value: CounterValue) -> SeriesPoint:
    return SeriesPoint(value.input, value.lines, value.time_ns, value.total, _by_cpu(value.per_cpu))


def _by_cpu(values: dict[int | None, int]) -> dict[str, int]:
    return {str(cpu): value for cpu, value in sorted(_numbered(values))}


def _numbered(values: dict[int | None, int]) -> Iterable[tuple[int, int]]:
    return ((cpu, value) for cpu, value in values.items() if cpu is not None)


def _rise_per_cpu(series: CounterSeries) -> dict[str, int]:
    """Empty where a counter wrapped or fell: then only the sum was reckoned."""
    if series.rise is None or any(step.wrapped for step in series.steps):
        return {}
    first, last = series.steps[0].before.per_cpu, series.steps[-1].after.per_cpu
    return {str(cpu): last[cpu] - value for cpu, value in sorted(_numbered(first)) if cpu in last}


def _gauges(dumps: Sequence[KeptDump]) -> list[DumpSeries]:
    found: dict[Key, dict[tuple[str, int], SeriesPoint]] = {}
    natures: dict[Key, Nature] = {}
    for kept in dumps:
        for key, nature, point in (*_sizes(kept), *_of_services(kept)):
            natures[key] = nature
            found.setdefault(key, {})[kept.file.name, kept.number] = point
    series = []
    for key in sorted(found):
        points = sorted(found[key].values(), key=lambda each: (each.time_ns or 0, each.input, each.lines))
        if len(points) > 1 and all(point.time_ns is not None for point in points):
            series.append(_timed(key, natures[key], points))
    return series


def _timed(key: Key, nature: Nature, points: list[SeriesPoint]) -> DumpSeries:
    falls = any(after.value < before.value for before, after in pairwise(points))
    rise = None if nature == "gauge" or falls else points[-1].value - points[0].value
    return DumpSeries(*key, nature, "times", rise, {}, _thinned(points), len(points))


_Sample = tuple[Key, Nature, SeriesPoint]


def _sizes(kept: KeptDump) -> Iterable[_Sample]:
    """Gauges by name, summed over CPUs."""
    by_name: dict[str, tuple[list[int], dict[int | None, int]]] = {}
    for row in kept.dump.gauges:
        for name, value in row.counters.items():
            lines, per_cpu = by_name.setdefault(name, ([], {}))
            lines.append(row.line)
            per_cpu[row.cpu] = per_cpu.get(row.cpu, 0) + value
    for name, (lines, per_cpu) in by_name.items():
        yield _series_points(kept, "", name, "gauge", lines, sum(per_cpu.values()), _by_cpu(per_cpu))


def _of_services(kept: KeptDump) -> Iterable[_Sample]:
    """What IPVS lists of each service, its servers summed, and of each server."""
    for service in kept.dump.services:
        name = service_name(service)
        lines = [service.line]
        for field in ("active", "inactive"):
            values = [getattr(server, field) for server in service.real_servers]
            if values and None not in values:
                yield _series_points(kept, name, f"{field} connections", "gauge", lines, sum(values))
        yield from _traffic(kept, name, service)
        for server in service.real_servers:
            yield from _of_server(kept, f"{name} → {server_name(server)}", server)


def _of_server(kept: KeptDump, subject: str, server: RealServer) -> Iterable[_Sample]:
    listed = {
        "weight": server.weight,
        "active connections": server.active,
        "inactive connections": server.inactive,
    }
    for name, value in listed.items():
        if value is not None:
            yield _series_points(kept, subject, name, "gauge", [server.line], value)
    yield from _traffic(kept, subject, server)


def _traffic(kept: KeptDump, subject: str, listed: VirtualService | RealServer) -> Iterable[_Sample]:
    """Connections only: packets and bytes say how much was sent, which captures say better."""
    traffic: IpvsTraffic | None = listed.traffic
    if traffic is None or (traffic.rounded and not traffic.per_second):
        return
    name, nature = ("connections per second", "gauge") if traffic.per_second else ("connections", "counter")
    yield _series_points(
        kept, subject, name, "gauge" if nature == "gauge" else "counter", [listed.line], traffic.connections
    )


def _series_points(
    kept: KeptDump,
    subject: str,
    name: str,
    nature: Nature,
    lines: Sequence[int],
    value: int,
    per_cpu: dict[str, int] | None = None,
) -> _Sample:
    key = (kept.dump.kind, kept.host, subject, name)
    return (
        key,
        nature,
        SeriesPoint(kept.file.name, tuple(lines), kept.dump.captured_at_ns, value, per_cpu or {}),
    )


def _thinned(points: Sequence[SeriesPoint]) -> tuple[SeriesPoint, ...]:
    if len(points) <= POINTS_AT_MOST:
        return tuple(points)
    last = len(points) - 1
    at = {round(n * last / (POINTS_AT_MOST - 1)) for n in range(POINTS_AT_MOST)}
    return tuple(points[n] for n in sorted(at))
