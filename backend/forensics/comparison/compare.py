"""Two reports in, one comparison out. Pure: the clock is the caller's."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from backend.forensics.comparison.causes import compare_causes
from backend.forensics.comparison.counters import compare_counters, counters_not_compared
from backend.forensics.comparison.findings import Sides, judge_finding, measure_findings
from backend.forensics.comparison.limits import compare_limits
from backend.forensics.comparison.pairing import Pairing, pair_destinations
from backend.forensics.comparison.remarks import list_cautions, list_not_compared
from backend.forensics.comparison.result import (
    Comparison,
    FindingChangePart,
    ShareChangePart,
    SidePart,
    WaitChangePart,
)
from backend.forensics.comparison.statistics import holm
from backend.forensics.comparison.thresholds import Thresholds, rules_in_words
from backend.forensics.comparison.verdict import decide
from backend.forensics.comparison.waits import judge_share, judge_wait, measure_shares, measure_waits
from backend.forensics.report import Report, ToolPart


@dataclass(frozen=True)
class Subject:
    """A report and where it came from."""

    report: Report
    source: str = ""
    investigation_id: str | None = None


def compare_reports(
    base: Subject,
    candidate: Subject,
    *,
    created: str,
    tool_version: str,
    thresholds: Thresholds = Thresholds(),  # noqa: B008 - frozen
) -> Comparison:
    """`created` is RFC 3339. The order of the two matters: worse means that the candidate is."""
    pairing = pair_destinations(base.report, candidate.report)
    seconds = [recorded_s(subject.report) for subject in (base, candidate)]
    sides = Sides(base.report, candidate.report, pairing, seconds[0], seconds[1], thresholds)
    findings, waits, shares = _judged(sides, pairing)
    causes = compare_causes(base.report, candidate.report, findings)
    not_compared = list_not_compared(base.report, candidate.report, pairing, thresholds)
    not_compared += counters_not_compared(base.report, candidate.report)
    verdict, statement = decide(findings, waits, shares, candidate.report)
    return Comparison(
        schema="stallscope.comparison/1",
        created=created,
        tool=ToolPart(version=tool_version),
        base=_side(base, seconds[0]),
        candidate=_side(candidate, seconds[1]),
        verdict=verdict,
        statement=statement,
        findings=findings,
        causes=causes,
        waits=waits,
        shares=shares,
        counters=compare_counters(base.report, candidate.report),
        limits=compare_limits(pairing),
        cautions=list_cautions(base.report, candidate.report),
        not_compared=not_compared,
        rules=rules_in_words(thresholds),
    )


def _judged(
    sides: Sides, pairing: Pairing
) -> tuple[list[FindingChangePart], list[WaitChangePart], list[ShareChangePart]]:
    """Every test is made first, for the correction counts them all."""
    limits = sides.thresholds
    findings = measure_findings(sides)
    waits = [part for pair in pairing.pairs for part in measure_waits(pair, limits)]
    shares = [part for pair in pairing.pairs for part in measure_shares(pair, limits)]
    p_values = [part.p_value for part in findings if part.p_value is not None]
    p_values += [p for part in waits for p in (part.p_value, *(tail.p_value for tail in part.tails))]
    adjusted = iter(holm([*p_values, *(part.p_value for part in shares)]))
    return (
        [judge_finding(p, None if p.p_value is None else next(adjusted), sides) for p in findings],
        [judge_wait(p, [next(adjusted) for _ in range(1 + len(p.tails))], limits) for p in waits],
        [judge_share(p, next(adjusted), limits) for p in shares],
    )


def _side(subject: Subject, seconds: float) -> SidePart:
    report = subject.report
    return SidePart(
        label=report.label,
        created=report.created,
        tool=report.tool,
        source=subject.source,
        investigation_id=subject.investigation_id,
        packets=sum(part.packets for part in report.inputs),
        attempts=sum(part.attempts for part in report.destinations),
        recorded_s=round(seconds, 6),
    )


def recorded_s(report: Report) -> float:
    """From the first to the last packet of all captures; 0 without."""
    spans = [(part.first, part.last) for part in report.inputs if part.first and part.last]
    if not spans:
        return 0.0
    return _epoch_s(max(last for _, last in spans)) - _epoch_s(min(first for first, _ in spans))


def _epoch_s(text: str) -> float:
    """Of RFC 3339 in UTC with any number of decimals."""
    whole, _, fraction = text.removesuffix("Z").partition(".")
    return datetime.fromisoformat(f"{whole}+00:00").timestamp() + float(f"0.{fraction or 0}")
