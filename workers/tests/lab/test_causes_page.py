"""The pages of causes say what the causes state."""

from __future__ import annotations

import pytest

from backend.forensics.diagnosis.cause_pages import CausePage, list_pages
from backend.forensics.diagnosis.run import discover_causes
from workers.tests.lab.causes_page import DOCS, pages


def test_the_pages_are_current() -> None:
    wanted = pages()
    stale = [
        file.name for file, text in wanted.items() if not file.exists() or file.read_text("utf-8") != text
    ]
    assert stale == [], "run: make causes"
    assert {*(DOCS / "causes").glob("*.md")} == wanted.keys() - {DOCS / "causes.md"}


def test_every_cause_has_a_page() -> None:
    assert [page.cause for page in list_pages()] == [name for name, _ in discover_causes()]


@pytest.mark.parametrize("page", list_pages(), ids=lambda page: page.cause)
def test_a_page_names_two_look_alikes_and_what_to_collect(page: CausePage) -> None:
    assert len({each.title for each in page.alternatives}) >= 2
    assert page.missing


@pytest.mark.parametrize("page", list_pages(), ids=lambda page: page.cause)
def test_a_page_states_its_mechanism_and_its_sources(page: CausePage) -> None:
    text = (DOCS / "causes" / f"{page.cause}.md").read_text("utf-8")
    assert {"## Mechanism", "## Sources", "## Remedies", "## Incidents of the lab"} <= set(text.splitlines())
