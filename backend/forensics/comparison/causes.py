"""Causes on both sides, by what became of the findings they explain."""

from __future__ import annotations

from collections.abc import Sequence

from backend.forensics.comparison.result import CauseChangePart, FindingChangePart, FindingSidePart, State
from backend.forensics.report import DiagnosisPart, Report

_ORDER: tuple[State, ...] = ("new", "worse", "gone", "better", "cannot-tell", "same")
"""Of several findings of one cause, the first of these speaks for it."""
_ON_BOTH: dict[State, State] = {"new": "worse", "gone": "better"}
"""A cause that both sides name is neither new nor gone, even where its findings moved."""
_ON_CANDIDATE: dict[State, State] = {"worse": "new", "same": "cannot-tell", "better": "cannot-tell"}
_ON_BASE: dict[State, State] = {"better": "gone", "same": "cannot-tell", "worse": "cannot-tell"}
"""Named on one side only although its findings are on both: naming took evidence that the other side may lack."""


def compare_causes(
    base: Report, candidate: Report, findings: Sequence[FindingChangePart]
) -> list[CauseChangePart]:
    """Every cause that either side names, the candidate's first. “Undecided” names nothing."""
    left, right = _named(base), _named(candidate)
    return [
        _change(left.get(cause), right.get(cause), findings)
        for cause in [*right, *(cause for cause in left if cause not in right)]
    ]


def _named(report: Report) -> dict[str, DiagnosisPart]:
    named: dict[str, DiagnosisPart] = {}
    for diagnosis in report.diagnoses:
        if diagnosis.verdict != "cannot-tell":
            named.setdefault(diagnosis.cause, diagnosis)
    return named


def _change(
    base: DiagnosisPart | None, candidate: DiagnosisPart | None, findings: Sequence[FindingChangePart]
) -> CauseChangePart:
    shown = candidate or base
    assert shown is not None
    states = {
        part.state
        for part in findings
        if (candidate and _holds(part.candidate, candidate)) or (base and _holds(part.base, base))
    }
    state: State = next((each for each in _ORDER if each in states), "cannot-tell")
    if base is not None and candidate is not None:
        state, because = _ON_BOTH.get(state, state), f"{candidate.verdict} against {base.verdict}"
    elif candidate is not None:
        state = _ON_CANDIDATE.get(state, state)
        because = f"{candidate.verdict}; not in the base"
    else:
        state = _ON_BASE.get(state, state)
        because = f"{shown.verdict} in the base; not in the candidate"
    return CauseChangePart(
        state=state,
        cause=shown.cause,
        title=shown.title,
        base=base.verdict if base else None,
        candidate=candidate.verdict if candidate else None,
        because=because,
    )


def _holds(side: FindingSidePart | None, diagnosis: DiagnosisPart) -> bool:
    return side is not None and bool(set(side.ids) & set(diagnosis.findings))
