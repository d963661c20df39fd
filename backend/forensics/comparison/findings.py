"""Findings of one kind at one destination on both sides: how often on each, and whether that differs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from backend.forensics.comparison.pairing import Pairing
from backend.forensics.comparison.plain import p_text
from backend.forensics.comparison.result import FindingChangePart, FindingSidePart, State
from backend.forensics.comparison.statistics import fisher_p, rate_p
from backend.forensics.comparison.thresholds import Thresholds
from backend.forensics.report import DestinationPart, FindingPart, Report, Severity

SEVERITIES: tuple[Severity, ...] = ("info", "warning", "critical")


@dataclass(frozen=True)
class Sides:
    """Everything about the two reports that findings are judged by."""

    base: Report
    candidate: Report
    pairing: Pairing
    base_s: float
    """Recorded seconds."""
    candidate_s: float
    thresholds: Thresholds


@dataclass(frozen=True)
class _Group:
    kind: str
    destination: str
    findings: tuple[FindingPart, ...]

    @property
    def severity(self) -> Severity:
        return max((f.severity for f in self.findings), key=SEVERITIES.index)

    @property
    def title(self) -> str:
        return next(f.title for f in self.findings if f.severity == self.severity)

    @property
    def count(self) -> int:
        """Of those that are more than a note, where there are any."""
        notable = [f.count for f in self.findings if f.severity != "info"]
        return sum(notable or [f.count for f in self.findings])


def measure_findings(sides: Sides) -> list[FindingChangePart]:
    """All kinds and destinations of either side, the candidate's first, not judged yet."""
    left, right = _grouped(sides.base.findings), _grouped(sides.candidate.findings)
    matched = _match(left, right, sides.pairing)
    changes = [_measured(sides, left[of] if of else None, right[key]) for key, of in matched.items()]
    taken = set(matched.values())
    return changes + [_measured(sides, group, None) for key, group in left.items() if key not in taken]


def judge_finding(part: FindingChangePart, p_adjusted: float | None, sides: Sides) -> FindingChangePart:
    """With the adjusted p, None where there was no test."""
    part = part.model_copy(update={"p_adjusted": p_adjusted})
    if part.base is not None and part.candidate is not None:
        state, because = _on_both(part, part.base, part.candidate, sides)
    else:
        state, because = _on_one(part, sides)
    return part.model_copy(update={"state": state, "because": because})


def _grouped(findings: Sequence[FindingPart]) -> dict[tuple[str, str], _Group]:
    groups: dict[tuple[str, str], list[FindingPart]] = {}
    for finding in findings:
        groups.setdefault((finding.kind, _destination_of(finding)), []).append(finding)
    return {key: _Group(*key, tuple(parts)) for key, parts in groups.items()}


def _destination_of(finding: FindingPart) -> str:
    named = {str(each["destination"]) for each in finding.affected if each.get("destination")}
    return named.pop() if len(named) == 1 else ""


def _match(
    left: dict[tuple[str, str], _Group], right: dict[tuple[str, str], _Group], pairing: Pairing
) -> dict[tuple[str, str], tuple[str, str] | None]:
    """The base's group for each of the candidate's: of the same destination, or the only ones left of a kind."""
    matched: dict[tuple[str, str], tuple[str, str] | None] = {}
    for kind, destination in right:
        other = pairing.base_of(destination)
        keys = [(kind, destination), (kind, other.destination if other else destination)]
        matched[kind, destination] = next((key for key in keys if key in left), None)
    for kind in {kind for kind, _ in right}:
        open_right = [key for key in right if key[0] == kind and matched[key] is None]
        open_left = [key for key in left if key[0] == kind and key not in matched.values()]
        if len(open_right) == 1 and len(open_left) == 1:
            matched[open_right[0]] = open_left[0]
    return matched


def _measured(sides: Sides, base: _Group | None, candidate: _Group | None) -> FindingChangePart:
    shown = candidate or base
    assert shown is not None
    first, second = _destinations(sides, base, candidate)
    in_attempts = shown.kind in sides.thresholds.counted_in_attempts
    out_of = [
        _attempts(report, destination) if in_attempts else None
        for report, destination in ((sides.base, first), (sides.candidate, second))
    ]
    counts = [group.count if group else 0 for group in (base, candidate)]
    if out_of[0] is None or out_of[1] is None or out_of[0] < counts[0] or out_of[1] < counts[1]:
        out_of = [None, None]
    return FindingChangePart(
        state="same",
        kind=shown.kind,
        title=shown.title,
        severity=shown.severity,
        destination=shown.destination,
        base=_side(base, out_of[0]),
        candidate=_side(candidate, out_of[1]),
        p_value=_p_value(counts, out_of, sides, on_both=base is not None and candidate is not None),
        because="",
    )


def _destinations(sides: Sides, base: _Group | None, candidate: _Group | None) -> tuple[str, str]:
    """Where to look for the attempts of either side."""
    if base is not None and candidate is not None:
        return base.destination, candidate.destination
    if candidate is not None:
        other = sides.pairing.base_of(candidate.destination)
        return (other.destination if other else candidate.destination), candidate.destination
    assert base is not None
    other = sides.pairing.candidate_of(base.destination)
    return base.destination, (other.destination if other else base.destination)


def _attempts(report: Report, destination: str) -> int | None:
    """To that destination, or to all ports of an address; None where the report lists none."""
    if not destination:
        return None
    exact = [p.attempts for p in report.destinations if p.destination == destination]
    host = destination.strip("[]")
    found = exact or [p.attempts for p in report.destinations if _host(p) == host]
    return sum(found) if found else None


def _host(part: DestinationPart) -> str:
    return part.destination.rpartition(":")[0].strip("[]")


def _side(group: _Group | None, out_of: int | None) -> FindingSidePart | None:
    if group is None:
        return None
    return FindingSidePart(
        ids=[f.id for f in group.findings],
        severity=group.severity,
        count=group.count,
        out_of=out_of,
        time_lost_s=round(sum(f.time_lost_s for f in group.findings), 6),
    )


def _p_value(counts: list[int], out_of: list[int | None], sides: Sides, *, on_both: bool) -> float | None:
    if not sum(counts):
        return None  # a forecast counts nothing yet
    if out_of[0] and out_of[1]:
        return fisher_p((counts[0], out_of[0]), (counts[1], out_of[1]))
    if on_both:
        return rate_p((counts[0], sides.base_s), (counts[1], sides.candidate_s))
    # What happens in time may need a trigger that came once: one side's silence is not tested by the clock.
    return None


def _on_both(
    part: FindingChangePart, base: FindingSidePart, candidate: FindingSidePart, sides: Sides
) -> tuple[State, str]:
    counted = f"{_counted(candidate)} against {_counted(base)}"
    significant = part.p_adjusted is not None and part.p_adjusted < sides.thresholds.p_max
    if (base.severity == "info") != (candidate.severity == "info"):
        described = f"{candidate.severity} instead of {base.severity}: {counted}"
        if (
            part.p_adjusted is not None and not significant
        ):  # near a limit chance alone turns one into the other
            return "cannot-tell", f"{described}, {p_text(part.p_adjusted)}"
        state: State = "worse" if base.severity == "info" else "better"
        return state, described
    first = base.count / (base.out_of or sides.base_s or 1.0)
    second = candidate.count / (candidate.out_of or sides.candidate_s or 1.0)
    low, high = sorted((first, second))
    if not significant or high < sides.thresholds.rate_min_factor * low:
        return "same", counted
    return ("worse" if second > first else "better"), f"{counted}, {p_text(part.p_adjusted)}"


def _on_one(part: FindingChangePart, sides: Sides) -> tuple[State, str]:
    is_new = part.candidate is not None
    silent, name = (sides.base, "base") if is_new else (sides.candidate, "candidate")
    seen = part.candidate or part.base
    assert seen is not None
    checked = {c.kind: c for c in silent.checked}.get(part.kind)
    if checked is None or checked.status in ("not-checkable", "failed"):
        why = f": {checked.why}" if checked is not None and checked.why else ""
        return "cannot-tell", f"the {name} was not checked for it{why}"
    if part.p_value is not None and part.p_value >= sides.thresholds.p_max_chance:
        text = f"{_counted(seen)}, none in the {name}: possibly by chance ({p_text(part.p_value)})"
        return "cannot-tell", text
    return ("new" if is_new else "gone"), f"{_counted(seen)}, none in the {name}"


def _counted(side: FindingSidePart) -> str:
    return f"{side.count:,} of {side.out_of:,} attempts" if side.out_of else f"{side.count:,}"
