"""Each piece of evidence counts, and each refutation refutes."""

from __future__ import annotations

import re
import shlex

import pytest

from backend.forensics.diagnosis.causes.snat_port_race.tests.build_race import (
    LOST,
    RULE,
    TOTAL,
    Case,
    counters,
    race_capture,
    rules,
)


def test_with_all_evidence_the_race_is_confirmed() -> None:
    found = Case().diagnosis()
    assert found.verdict == "confirmed"
    assert found.confidence >= 0.9
    assert found.missing == []
    assert found.statement.startswith(f"{LOST} of {TOTAL + LOST} new connections")
    assert all(rival.status != "possible" for rival in found.rivals)


@pytest.mark.parametrize(
    "changes",
    [{"counters": []}, {"rules": []}, {"events": []}, {"capture": race_capture(outer=False)}],
    ids=["counters", "rules", "events", "outer capture"],
)
def test_less_evidence_gives_less_confidence(changes: dict[str, object]) -> None:
    assert Case().but(**changes).diagnosis().confidence < Case().diagnosis().confidence


@pytest.mark.parametrize(
    ("changes", "command"),
    [
        ({"counters": []}, "conntrack -S"),
        ({"counters": counters(LOST)[:1]}, "conntrack -S"),
        ({"capture": race_capture(outer=False)}, "tcpdump"),
    ],
)
def test_what_is_missing_is_asked_for(changes: dict[str, object], command: str) -> None:
    found = Case().but(**changes).diagnosis()
    assert found.verdict != "confirmed"
    assert any(part.command.startswith(command) for part in found.missing)


@pytest.mark.parametrize(
    "changes",
    [
        {"counters": counters(0)},
        {"rules": rules(fully_random=True)},
        {"capture": race_capture(data=(2_000, 100))},
        {"capture": race_capture(seen_behind=40)},
    ],
    ids=["insert_failed flat", "ports fully random", "data lost as often", "most SYNs seen behind NAT"],
)
@pytest.mark.parametrize("with_counters", [True, False])
def test_a_refutation_makes_the_race_unlikely(changes: dict[str, object], with_counters: bool) -> None:
    case = Case() if with_counters else Case().but(counters=[], events=[])
    found = case.but(**changes).diagnosis()
    assert found.confidence < 0.5
    assert found.contradicting


@pytest.mark.parametrize("hostile", ["$(reboot)", "; reboot", "a\nreboot", "`reboot`", "x && reboot", "!"])
def test_a_rule_from_an_upload_is_quoted_word_by_word(hostile: str) -> None:
    text = f'-A POSTROUTING -s 10.0.0.0/24 -m comment --comment "{hostile}" -j MASQUERADE'
    remedy = Case().but(rules=rules(text=text)).diagnosis().remedies[0]
    assert remedy.command is not None
    for command in (remedy.command, remedy.undo):
        parser = shlex.shlex(command, posix=True, punctuation_chars=True)
        parser.whitespace_split = True
        words = list(parser)
        assert words.count("&&") == 1
        assert hostile in words
        assert not {";", "|", "&", "(", ")"} & set(words)


@pytest.mark.parametrize("text", ["$(reboot)", "; reboot", "-A $(reboot) -j MASQUERADE", "-A ';' \"unclosed"])
def test_a_text_that_is_no_rule_cannot_run_anything(text: str) -> None:
    remedy = Case().but(rules=rules(text=text)).diagnosis().remedies[0]
    assert remedy.command is not None
    words = shlex.split(remedy.command)
    assert words.count("iptables") == 2
    unquoted = re.sub(r"\"[^\"]*\"|'[^']*'", "", remedy.command)
    assert not set(";$`\n|<>") & set(unquoted)


def test_the_remedy_is_made_from_the_own_rule() -> None:
    remedy = Case().diagnosis().remedies[0]
    rest = RULE.removeprefix("-A POSTROUTING ")
    assert remedy.command == (
        f"iptables -t nat -I POSTROUTING {rest} --random-fully && iptables -t nat -D POSTROUTING {rest}"
    )


def test_rules_that_are_fully_random_already_are_not_offered_again() -> None:
    remedies = Case().but(rules=rules(fully_random=True)).diagnosis().remedies
    assert "plain iptables" not in {remedy.applies_to for remedy in remedies}
