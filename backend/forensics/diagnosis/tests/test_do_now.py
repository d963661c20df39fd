"""What to do first: a fix, something to confirm, or somebody to ask."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from backend.forensics import diagnosis
from backend.forensics.diagnosis.do_now import WORDS_MOST, headline, with_do_now
from backend.forensics.report import ChoicePart, DiagnosisPart, MissingPart, RemedyPart, Verdict
from backend.forensics.report_do_now import DoNowPart

CHANGE = RemedyPart(
    what="Raise the limit", command="sysctl -w net.core.somaxconn=4096", applies_to="the server"
)
READING = RemedyPart(what="Find the lossy hop", command="mtr -rwc 100 192.0.2.1", applies_to="the network")
BY_HAND = RemedyPart(what="Accept faster: more workers", applies_to="the program", check="ss -lnt")
UNFINISHED = RemedyPart(
    what="Annotate the account", command="kubectl annotate sa NAME a=b", applies_to="the pod"
)
CONDITIONAL = RemedyPart(
    what="Keep them longer", condition="kiam is used", command="kiam server --lead=20m", applies_to="kiam"
)
CHOICE = CHANGE.model_copy(update={"choice": [ChoicePart(setting="0", gains="speed", costs="errors")]})
CAPTURE = MissingPart(
    what="A capture at the server: does it arrive?", command="tcpdump -i any -w server.pcap"
)


def first_of(
    verdict: Verdict, *remedies: RemedyPart, missing: tuple[MissingPart, ...] = ()
) -> DoNowPart | None:
    return with_do_now(
        DiagnosisPart(
            cause="some-cause",
            title="Some cause",
            confidence=0.9,
            verdict=verdict,
            statement="2 of 9 waited.",
            claims=[],
            findings=[],
            remedies=list(remedies),
            missing=list(missing),
        )
    ).do_now


def test_a_cause_that_is_sure_is_fixed_by_a_change() -> None:
    found = first_of("confirmed", BY_HAND, CHANGE, missing=(CAPTURE,))
    assert found == DoNowPart(
        action="fix", what="Raise the limit", command=CHANGE.command, applies_to="the server"
    )


def test_a_command_that_only_reads_is_no_fix() -> None:
    found = first_of("confirmed", READING, CHANGE)
    assert found is not None
    assert (found.action, found.command) == ("confirm", READING.command)


def test_what_is_missing_is_read_before_what_a_remedy_reads() -> None:
    found = first_of("likely", READING, missing=(CAPTURE,))
    assert found is not None
    assert (found.action, found.command) == ("confirm", CAPTURE.command)


def test_without_a_command_its_owner_is_asked() -> None:
    found = first_of("likely", BY_HAND)
    assert found is not None
    assert (found.action, found.what, found.command) == ("ask", "Accept faster", None)


def test_a_choice_and_a_remedy_of_some_installations_come_not_first() -> None:
    found = first_of("confirmed", CHOICE, CONDITIONAL, BY_HAND)
    assert found is not None
    assert (found.action, found.applies_to) == ("ask", "the program")


def test_a_command_that_cannot_be_typed_as_it_stands_is_not_given() -> None:
    found = first_of("confirmed", UNFINISHED)
    assert found is not None
    assert (found.action, found.command) == ("fix", None)


def test_what_is_not_sure_is_confirmed_before_anything_is_changed() -> None:
    for verdict in ("possible", "cannot-tell"):
        found = first_of(verdict, CHANGE, missing=(CAPTURE,))
        assert found is not None
        assert (found.action, found.command) == ("confirm", CAPTURE.command)
        checked = first_of(verdict, BY_HAND)
        assert checked is not None
        assert (checked.action, checked.command) == ("confirm", "ss -lnt")
    assert first_of("possible") is None


def test_remedies_know_whether_their_commands_change_anything() -> None:
    part = DiagnosisPart(
        cause="c",
        title="t",
        confidence=0.9,
        verdict="likely",
        statement="s",
        claims=[],
        findings=[],
        remedies=[CHANGE, READING, BY_HAND],
    )
    assert [each.changes for each in with_do_now(part).remedies] == [True, False, False]


def _advice() -> Iterator[str]:
    """Every remedy and every piece of missing evidence that is written as one text."""
    for path in Path(diagnosis.__file__).parent.rglob("*.py"):
        if "tests" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg == "what" and isinstance(node.value, ast.Constant):
                yield str(node.value.value)


def test_every_advice_has_a_headline_of_few_words_that_ends_with_a_clause() -> None:
    advice = set(_advice())
    assert len(advice) > 80
    assert [text for text in sorted(advice) if len(headline(text).split()) > WORDS_MOST] == []
    assert [text for text in sorted(advice) if headline(text).endswith("…")] == []
