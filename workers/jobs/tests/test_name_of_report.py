from __future__ import annotations

import pytest

from backend.forensics.comparison.tests.build_report import destination, report
from backend.forensics.report import DiagnosisPart, Report
from workers.jobs.name_of_report import name_of

USED_MOST, USED_LESS = "10.0.0.2:80", "10.0.0.2:8080"


def said(statement: str) -> Report:
    diagnosis = DiagnosisPart.model_construct(statement=statement)
    made = report(destination(USED_MOST), destination(USED_LESS))
    return made.model_copy(update={"diagnoses": [diagnosis] if statement else []})


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("", f"{USED_MOST}, 2026-11-21"),
        ("SYNs to 10.0.0.2:8080 were lost.", f"{USED_LESS}, 2026-11-21"),
        ("A receive queue of 10.0.0.9 stalled.", f"{USED_MOST}, 2026-11-21"),
        ("SYNs to 110.0.0.2:8080 were lost.", f"{USED_MOST}, 2026-11-21"),
    ],
)
def test_the_destination_of_the_verdict_or_the_most_used_one(statement: str, name: str) -> None:
    assert name_of(said(statement)) == name


def test_listings_alone_name_nothing() -> None:
    assert name_of(report()) == ""
