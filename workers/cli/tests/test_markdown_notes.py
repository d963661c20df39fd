"""Notes by people in the Markdown report."""

from __future__ import annotations

import re

from backend.forensics.report import Report
from backend.forensics.report_notes import NotePart
from backend.services.render_markdown import render_markdown
from workers.cli.tests.reports import collision_report

HOSTILE = "no\n# h <b>|~~*x*~~"


def _noted(
    *notes: NotePart, diagnosis_ids: tuple[str, str] = ("snat-port-race-1", "snat-port-race-2")
) -> Report:
    report = collision_report()
    (diagnosis,) = report.diagnoses
    twice = [
        diagnosis.model_copy(update={"id": each, "statement": f"statement of {number}"})
        for number, each in enumerate(diagnosis_ids, 1)
    ]
    return report.model_copy(update={"diagnoses": twice, "notes": list(notes)})


def _disagreement(**about: str) -> NotePart:
    given = {"author": "bob", "text": "no", "cause": "snat-port-race", **about}
    return NotePart(kind="disagreement", created="2026-11-21T14:05:09.123456Z", **given)


def test_only_the_diagnosis_that_somebody_disagrees_with_is_struck_through() -> None:
    text = render_markdown(_noted(_disagreement(diagnosis="snat-port-race-2")))
    assert "\n\n**statement of 1**\n\n" in text
    assert "\n\n~~**statement of 2**~~\n\n> bob, 2026-11-21T14:05, rejects the diagnosis: no\n\n" in text
    assert "rejects snat-port-race-2" in text
    assert "What happened" in text.partition("> bob")[2]  # what speaks for it stays


def test_without_ids_the_cause_and_the_finding_decide() -> None:
    for finding, struck in (("", 2), ("f1", 2), ("f2", 0)):
        text = render_markdown(_noted(_disagreement(finding=finding), diagnosis_ids=("", "")))
        assert text.count("~~**") == struck


def test_notes_are_a_table_and_cannot_format() -> None:
    note = NotePart(
        kind="note",
        text=HOSTILE,
        author=HOSTILE,
        created="2026-11-21T14:05:09Z",
        start="2026-11-21T00:00:01.000000005Z",
        finding="f1",
    )
    text = render_markdown(_noted(note, _disagreement(text=HOSTILE, author="")))
    rows = text.partition("## Notes by people\n\n")[2].partition("\n\n")[0].split("\n")
    assert len(rows) == 4
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {7}
    assert rows[2].startswith("| 2026-11-21T00:00:01.000000005Z |  | f1 | no \\# h \\<b")
    assert "| somebody |" in rows[3]
    assert "\n# h" not in text
    assert "~~*x" not in text


def test_a_report_without_notes_says_nothing_of_them() -> None:
    text = render_markdown(_noted())
    assert "Notes" not in text
    assert "~~" not in text
