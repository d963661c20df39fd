"""What a sample of a detector is, and how a test finds them: every module in `tests/samples` beside a detector.

A sample module has a docstring (the phenomenon, and the real capture that its timing and fields are taken from),
`EXPECTED`, `build()`, and, unless it is a positive one, `LOOSENED` with `WRONG_CLAIM`: the limits with which the
detector would claim what is not there.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from backend.forensics.evidence.facts import Facts
from backend.forensics.report import FindingPart

_LOUDNESS = (None, "info", "warning", "critical")


@dataclass(frozen=True)
class Expected:
    """`severity` is the highest_severity of the findings, None without one; `count` adds up over findings."""

    severity: str | None
    count: int = 0


@dataclass(frozen=True)
class Sample:
    """One sample; `sort` is the docstring's first word, `loosened` is None for a positive one."""

    name: str
    sort: str
    expected: Expected
    build: Callable[[], Facts]
    loosened: Any
    wrong_claim: str


def load_samples(package: str) -> list[Sample]:
    """All samples below `package`, by name."""
    root = importlib.import_module(package)
    samples = []
    for entry in pkgutil.iter_modules(root.__path__):
        module = importlib.import_module(f"{package}.{entry.name}")
        assert module.__doc__, f"{entry.name} does not say what it shows"
        loosened, claim = getattr(module, "LOOSENED", None), getattr(module, "WRONG_CLAIM", "")
        samples.append(
            Sample(entry.name, module.__doc__.split(".")[0], module.EXPECTED, module.build, loosened, claim)
        )
    return samples


def highest_severity(findings: Sequence[FindingPart]) -> str | None:
    """The severity of the highest_severity finding, None without one."""
    return max((f.severity for f in findings), key=_LOUDNESS.index, default=None)


def more_severe(claimed: str | None, expected: str | None) -> bool:
    """Whether a claim says more than is there."""
    return _LOUDNESS.index(claimed) > _LOUDNESS.index(expected)
