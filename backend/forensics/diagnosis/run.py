"""Asks every cause, ranks the answers by the time that users lost."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from functools import lru_cache

from backend.forensics.diagnosis import causes
from backend.forensics.diagnosis.contract import Hypothesis, conclude
from backend.forensics.evidence.facts import Facts
from backend.forensics.report import DiagnosisPart, FindingPart

Assess = Callable[[Facts, Sequence[FindingPart]], list[Hypothesis]]

REST = "unknown"
"""Assessed last: it takes the delays that no other cause explains."""


@lru_cache(maxsize=1)
def discover_causes() -> tuple[tuple[str, Assess], ...]:
    """(name, assess) of every module (or package, for a long one) in `causes`."""
    found = []
    for entry in pkgutil.iter_modules(causes.__path__):
        if entry.name not in (REST, "tests"):
            module = importlib.import_module(f"{causes.__name__}.{entry.name}")
            if hasattr(module, "assess"):
                found.append((str(module.CAUSE), module.assess))
    return tuple(sorted(found, key=lambda cause: cause[0]))


def diagnose(facts: Facts, findings: Sequence[FindingPart]) -> list[DiagnosisPart]:
    """Diagnoses by time lost, the surer first among equals; what nobody explains becomes `unknown`."""
    hypotheses = [h for _, assess in discover_causes() for h in assess(facts, findings)]
    parts = [conclude(h) for h in hypotheses]
    rest = importlib.import_module(f"{causes.__name__}.{REST}")
    parts += [conclude(h) for h in rest.assess_rest(facts, findings, parts)]
    return sorted(
        parts, key=lambda d: (d.verdict == "cannot-tell", -d.time_lost_s, -d.confidence, d.cause, d.statement)
    )
