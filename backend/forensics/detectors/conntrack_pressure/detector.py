"""How full the table is, whether the kernel complained, and when it will be full."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from backend.forensics.cases.case import Case
from backend.forensics.detection.contract import Detection
from backend.forensics.detection.present import present_case
from backend.forensics.detectors.conntrack_pressure.thresholds import DEFAULT, Thresholds
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kernel.kernel_signs import (
    Line,
    TableFill,
    conntrack_counts,
    conntrack_fill,
    messages_with,
)
from backend.forensics.findings import line_evidence
from backend.forensics.report import FindingPart, Severity
from backend.forensics.wording import percent

KIND = "conntrack-pressure"


@dataclass(frozen=True)
class Pressure:
    """What the dumps say; `full_in_s`: until `near_ratio` is reached at the present growth, None without forecast."""

    fill: TableFill | None
    messages: tuple[Line, ...]
    early_drop: int
    early_drop_lines: tuple[Line, ...]
    full_in_s: float | None
    growth_per_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ConntrackPressure(Case):
    """Of the node."""

    kind: str = KIND
    entries: int | None
    entries_max: int | None
    fill_ratio: float | None
    table_full_messages: int
    early_drop_delta: int
    forecast_90_percent_s: float | None
    growth_per_s: float


def detect(facts: Facts, thresholds: Thresholds = DEFAULT) -> Detection:
    """One finding for the node; sizes alone, however large, are none."""
    pressure = _measure(facts, thresholds)
    known = pressure.fill is not None or facts.node.delta is not None or facts.node.has("kernel-log")
    if not known:
        why = "needs nf_conntrack_count and nf_conntrack_max, conntrack -S before and after, or dmesg"
        return Detection("not-checkable", why)
    severity = _severity(pressure, thresholds)
    if severity is None:
        fill = pressure.fill
        size = (
            f"{fill.count:,} of {fill.limit:,} entries ({percent(fill.ratio)})"
            if fill
            else "table size not given"
        )
        return Detection("clear", f"{size}; no kernel log of a full table, early_drop +0")
    case = _case(pressure, severity)
    return Detection.of(case.summary, [case], _present)


def _measure(facts: Facts, thresholds: Thresholds) -> Pressure:
    kernel, delta = facts.node, facts.node.delta
    early = delta.deltas.get("early_drop", 0) if delta else 0
    lines: tuple[Line, ...] = ()
    if delta is not None and early:
        lines = (
            *((delta.before, n) for n in delta.before_lines),
            *((delta.after, n) for n in delta.after_lines),
        )
    fill = conntrack_fill(kernel)
    forecast, growth = _forecast(facts, fill, thresholds)
    logged = tuple(line for _, line in messages_with(kernel, "nf_conntrack", "table full"))
    return Pressure(fill, logged, early, lines, forecast, growth)


def _forecast(facts: Facts, fill: TableFill | None, thresholds: Thresholds) -> tuple[float | None, float]:
    """(seconds until the table is near its limit, entries per second)."""
    counts = conntrack_counts(facts.node)
    if fill is None or len({time for time, _, _ in counts}) < thresholds.forecast_points:
        return None, 0.0
    time_s = np.array([(time - counts[0][0]) / 1e9 for time, _, _ in counts])
    entries = np.array([float(count) for _, count, _ in counts])
    if not entries.std():
        return None, 0.0
    slope, start = (float(value) for value in np.polyfit(time_s, entries, 1))
    fit = float(np.corrcoef(time_s, entries)[0, 1]) ** 2
    if slope <= 0 or fit < thresholds.forecast_fit:
        return None, slope
    left_s = (thresholds.near_ratio * fill.limit - (start + slope * float(time_s[-1]))) / slope
    reach_s = min(thresholds.forecast_horizon_s, thresholds.forecast_reach * float(time_s[-1]))
    return (max(0.0, left_s) if left_s <= reach_s else None), slope


def _severity(pressure: Pressure, thresholds: Thresholds) -> Severity | None:
    ratio = pressure.fill.ratio if pressure.fill else 0.0
    if pressure.messages or ratio >= thresholds.full_ratio:
        return "critical"
    near = ratio >= thresholds.near_ratio
    return "warning" if near or pressure.early_drop or pressure.full_in_s is not None else None


def _case(pressure: Pressure, severity: Severity) -> ConntrackPressure:
    fill = pressure.fill
    lines = [*(fill.lines if fill else ()), *pressure.messages, *pressure.early_drop_lines]
    return ConntrackPressure(
        severity=severity,
        confidence=0.95,
        summary=_summary(pressure),
        count=max(1, len(pressure.messages)),
        evidence=tuple(line_evidence(lines)),
        entries=fill.count if fill else None,
        entries_max=fill.limit if fill else None,
        fill_ratio=round(fill.ratio, 4) if fill else None,
        table_full_messages=len(pressure.messages),
        early_drop_delta=pressure.early_drop,
        forecast_90_percent_s=round(pressure.full_in_s, 1) if pressure.full_in_s is not None else None,
        growth_per_s=round(pressure.growth_per_s, 3),
    )


def _summary(pressure: Pressure) -> str:
    fill, words = pressure.fill, []
    if fill is not None:
        words.append(f"{fill.count:,} of {fill.limit:,} conntrack entries in use ({percent(fill.ratio)})")
    if pressure.messages:
        words.append(f"the kernel logged a full table {len(pressure.messages):,} times")
    if pressure.early_drop:
        words.append(f"early_drop rose by {pressure.early_drop:,}")
    if pressure.full_in_s is not None:
        words.append(
            f"90 % will be reached in {pressure.full_in_s / 60:,.0f} min at {pressure.growth_per_s:,.1f} entries/s"
        )
    return "; ".join(words) + "."


def _present(case: ConntrackPressure) -> FindingPart:
    return present_case(
        case, "Conntrack table nearly full" if case.severity == "warning" else "Conntrack table full"
    )
