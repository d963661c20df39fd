"""More evidence makes no report worse, and less makes no right cause a wrong one."""

from __future__ import annotations

from pathlib import Path

import pytest

from workers.tests.lab.asked_again import asked_again
from workers.tests.lab.evidence import Instance, instances_below, report_on
from workers.tests.lab.properties import broken_promises

SHORT = ("more-loss-far", "more-pmtu-told")


@pytest.mark.parametrize("name", SHORT)
def test_promises_hold_for_a_few_incidents(extra_captures: Path, tmp_path: Path, name: str) -> None:
    assert broken_promises(Instance(extra_captures / "lab" / name), tmp_path, short=True) == []


@pytest.mark.long
def test_promises_hold_for_all_recorded_incidents(extra_captures: Path, tmp_path: Path) -> None:
    broken = {
        each.folder.name: found
        for each in instances_below(extra_captures / "lab")
        if (found := broken_promises(each, tmp_path))
    }
    assert broken == {}


@pytest.mark.long
def test_nothing_that_was_given_is_asked_for_again(extra_captures: Path) -> None:
    asked = {}
    for each in instances_below(extra_captures / "lab"):
        for case in each.cases:
            files = each.files(case)
            report = report_on(files)
            if report is not None and (found := list(asked_again(files, report))):
                asked[f"{each.folder.name}/{case['name']}"] = found
    assert asked == {}
