"""What a detector is: a package under `detectors` whose `detector` module has `KIND`, `NEEDS` and
`detect`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from backend.forensics.evidence.facts import Facts
from backend.forensics.report import FindingPart


@dataclass(frozen=True)
class Detection:
    """What a detector says. `why` is what was looked for and with which limits, or what is missing."""

    status: Literal["found", "clear", "not-checkable"]
    why: str
    findings: tuple[FindingPart, ...] = ()


@dataclass(frozen=True)
class Detector:
    """A detector as discovered. `rule_text` is its `rule.md`."""

    kind: str
    rule_text: str
    detect: Callable[[Facts], Detection]
