"""What a detector is: a package under `detectors` whose `detector` module has `KIND` and `detect`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from backend.forensics.cases.case import Case
from backend.forensics.evidence.facts import Facts
from backend.forensics.report import FindingPart

C = TypeVar("C", bound=Case)
G = TypeVar("G")


@dataclass(frozen=True)
class Detection:
    """What a detector says. `why` is what was looked for and with which limits, or what is missing."""

    status: Literal["found", "clear", "not-checkable"]
    why: str
    findings: tuple[FindingPart, ...] = ()
    cases: tuple[Case, ...] = ()
    """What the findings show, in their order; causes weigh these."""

    @classmethod
    def of(cls, why: str, cases: Sequence[C], present: Callable[[C], FindingPart]) -> Detection:
        """Found where one of them is more than harmless; `present` makes the finding of each. Numbers them."""
        harmful = any(case.is_harmful for case in cases)
        numbered = tuple(replace(case, id=f"{case.kind}-{number}") for number, case in enumerate(cases, 1))
        return cls("found" if harmful else "clear", why, tuple(map(present, numbered)), numbered)

    @classmethod
    def of_groups(
        cls, why: str, groups: Sequence[G], judge: Callable[[G], C], present: Callable[[G, C], FindingPart]
    ) -> Detection:
        """The same for groups of facts: `judge` makes the case of each, `present` the finding of both."""
        cases = [judge(group) for group in groups]
        of_case = {
            f"{case.kind}-{n}": group for n, (case, group) in enumerate(zip(cases, groups, strict=True), 1)
        }
        return cls.of(why, cases, lambda case: present(of_case[case.id], case))


@dataclass(frozen=True)
class Detector:
    """A detector as discovered. `rule_text` is its `rule.md`."""

    kind: str
    rule_text: str
    detect: Callable[[Facts], Detection]
