"""The last line of a run: one word that can be searched for in a log, what it rests on, and the link."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from backend.forensics.wording import plural
from backend.services.comparison_words import all_changes, is_failure

if TYPE_CHECKING:
    from backend.client import Investigation
    from backend.forensics.comparison.result import Comparison
    from backend.forensics.report import Report

PASS, FAIL, DONE, NOT_FINISHED = "PASS", "FAIL", "DONE", "NOT FINISHED"
"""DONE is a run that was asked to judge nothing."""


def verdict_line(word: str, text: str, link: str) -> str:
    """``stallscope: FAIL 1 new finding (52.8 s lost) http://127.0.0.1:8000/i/3f2a?baseline=77b1``."""
    return f"stallscope: {word} {text} {link}\n"


def judged_line(made: Investigation, report: Report, reasons: Sequence[str], *, asked: bool) -> str:
    """Of a report alone; `asked` says whether --fail-on named anything."""
    word = FAIL if reasons else PASS if asked else DONE
    return verdict_line(word, f"{_found(report)} ({_lost(made)} lost)", made.link)


def compared_line(
    made: Investigation, comparison: Comparison, base_id: str, reasons: Sequence[str], *, asked: bool
) -> str:
    """Of what is new or worse than the baseline; its link opens the run against it."""
    word = FAIL if reasons else PASS if asked else DONE
    bad = [change for change in all_changes(comparison) if is_failure(change)]
    new = sum(change.state == "new" for change in bad)
    text = [_counted(new, "new finding")] if new else []
    text += [f"{len(bad) - new:,} worse"] if len(bad) > new else []
    link = f"{made.link}?baseline={base_id}" if base_id else made.link
    return verdict_line(word, f"{', '.join(text) or 'nothing new or worse'} ({_lost(made)} lost)", link)


def first_line(made: Investigation) -> str:
    """Of the first run of a label."""
    return verdict_line(DONE, f"the first run of its label ({_lost(made)} lost)", made.link)


def _found(report: Report) -> str:
    notable = sum(finding.severity != "info" for finding in report.findings)
    return "no notable finding" if report.findings and not notable else _counted(notable, "finding")


def _counted(number: int, what: str) -> str:
    return plural(number, what) if number else f"no {what}"


def _lost(made: Investigation) -> str:
    return f"{made.about().time_lost_s:,.1f} s"
