"""Each piece of evidence counts, and each refutation refutes."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace

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
from backend.forensics.dumps import ComponentVersion, Dump
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.tests.build_capture import T0_NS, S


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
    [{"counters": counters(0)}, {"rules": rules(fully_random=True)}],
    ids=["insert_failed flat", "ports fully random"],
)
def test_what_shows_that_there_was_no_race_outweighs_everything(changes: dict[str, object]) -> None:
    found = Case().but(**changes).diagnosis()
    assert found.confidence < 0.5
    assert found.contradicting


ELSEWHERE = pytest.mark.parametrize(
    "changes",
    [{"capture": race_capture(data=(2_000, 100))}, {"capture": race_capture(seen_behind=40)}],
    ids=["data lost as often", "most SYNs seen behind NAT"],
)


@ELSEWHERE
def test_losses_of_another_kind_refute_a_race_that_no_counter_confirms(changes: dict[str, object]) -> None:
    found = Case().but(counters=[], events=[]).but(**changes).diagnosis()
    assert found.confidence < 0.5
    assert found.contradicting


@ELSEWHERE
def test_losses_of_another_kind_only_weaken_one_that_the_counters_confirm(changes: dict[str, object]) -> None:
    found = Case().but(**changes).diagnosis()
    assert found.verdict == "likely"
    assert found.contradicting


def test_counters_read_at_another_time_refute_less() -> None:
    later = [replace(d, dump=replace(d.dump, captured_at_ns=T0_NS + 600 * S)) for d in counters(0)]
    flat, elsewhere = Case().but(counters=counters(0)), Case().but(counters=later)
    assert (
        flat.diagnosis().confidence < 0.1 < elsewhere.diagnosis().confidence < Case().diagnosis().confidence
    )


def test_clashes_that_the_kernel_resolved_are_no_losses() -> None:
    found = Case().but(counters=counters(LOST, dropped=0)).diagnosis()
    assert found.confidence < Case().but(counters=[]).diagnosis().confidence
    assert any("resolved" in text for text in found.contradicting)


@pytest.mark.parametrize(
    ("rise", "closes"),
    [
        (LOST, "all are accounted for by the counters"),
        (LOST + 2, "2 more were counted"),
        (LOST - 1, "1 of them"),
    ],
)
def test_the_counters_are_compared_in_numbers(rise: int, closes: str) -> None:
    texts = Case().but(counters=counters(rise)).diagnosis().supporting
    (said,) = [t for t in texts if "insert_failed" in t]
    assert f"{LOST} SYNs lost" in said
    assert f"insert_failed +{rise}, drop +{rise}" in said
    assert closes in said


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


@pytest.mark.parametrize(("version", "new_enough"), [("v1.15.12", False), ("v1.16.0", True)])
def test_a_known_kube_proxy_is_not_to_be_upgraded_where_it_sets_the_flag(
    version: str, new_enough: bool
) -> None:
    told = Dump("kubernetes-versions", 1, (), component_versions=(ComponentVersion(1, "node", version),))
    case = Case().but(rules=[*rules(), DumpInput("kube-proxy.txt", None, told)])
    (remedy,) = [each for each in case.diagnosis().remedies if each.applies_to == "kube-proxy"]
    assert remedy.what.startswith("Check why kube-proxy omits the flag") == new_enough
    assert remedy.versions is not None
    assert remedy.versions.endswith(f"; you have {version[1:]} (kube-proxy.txt:1)")


def test_an_unknown_kube_proxy_is_not_spoken_of() -> None:
    (remedy,) = [each for each in Case().diagnosis().remedies if each.applies_to == "kube-proxy"]
    assert remedy.what.startswith("Upgrade kube-proxy")
    assert remedy.versions is not None
    assert "you have" not in remedy.versions


def test_counters_that_rose_between_times_are_steps_of_the_timeline() -> None:
    report = Case().report()
    (lane,) = [lane for lane in report.lanes if lane.id == "kernel:conntrack-stats"]
    marks = [
        mark
        for f in report.findings
        if f.kind == "tuple-collision"
        for mark in f.marks
        if mark.glyph == "step"
    ]
    assert {mark.label for mark in marks} == {"insert_failed 3 → 13", "drop 3 → 13"}
    assert {(mark.start, mark.end) for mark in marks} == {(lane.first, lane.last)}
    assert all(mark.lanes == [lane.id] and len(mark.evidence) == 2 for mark in marks)


def test_counters_that_stood_still_are_no_step() -> None:
    report = Case().but(counters=counters(0)).report()
    assert not [lane for lane in report.lanes if lane.id.startswith("kernel:conntrack-stats")]
