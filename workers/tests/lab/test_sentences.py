"""What reports say is counted again by scapy, from the frames that they cite."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from workers.tests.lab.evidence import Instance, instances_below, report_on
from workers.tests.lab.recomputed import problem_of
from workers.tests.lab.sentences import sentences_of, template

SHORT = ("dns-5s", "more-loss-far")
COUNTED_LEAST = 10
"""Sentences of the short instances that are counted again: a template that no longer fits its sentence is missed."""

NOT_COUNTED = frozenset(Path(__file__).with_name("not_counted.txt").read_text(encoding="utf-8").splitlines())
"""Templates of sentences with numbers that nothing counts again yet: of stalls and queues, of search lists, of IPVS.
A template that is not among them fails, and so does one of them that no sentence fits any more."""


@dataclass
class Recount:
    """Of the reports on one instance."""

    counted: int = 0
    wrong: list[str] = field(default_factory=list)
    left: set[str] = field(default_factory=set)
    """Templates with numbers that nothing counted again."""


def _recount(instance: Instance, first_only: bool) -> Recount:
    found = Recount()
    for case in instance.cases[: 1 if first_only else None]:
        report = report_on(instance.files(case))
        if report is None:
            continue
        for sentence in sentences_of(json.loads(report.model_dump_json()), instance.folder):
            fits, problem = problem_of(sentence)
            found.counted += fits
            if problem:
                found.wrong.append(f"{case['name']}: “{sentence.text}”: {problem}")
            elif not fits and re.search(r"\d", sentence.text):
                found.left.add(template(sentence.text))
                if _is_new(sentence.text):
                    found.wrong.append(f"{case['name']}: “{sentence.text}”: nothing counts it again")
    return found


def _is_new(text: str) -> bool:
    return bool(re.search(r"\d", text)) and template(text) not in NOT_COUNTED


@pytest.mark.parametrize("name", SHORT)
def test_sentences_of_recorded_incidents_are_true(extra_captures: Path, name: str) -> None:
    found = _recount(Instance(extra_captures / "lab" / name), first_only=True)
    assert found.wrong == []
    assert found.counted >= COUNTED_LEAST


@pytest.mark.long
def test_sentences_of_all_recorded_incidents_are_true(extra_captures: Path) -> None:
    found = {
        each.folder.name: _recount(each, first_only=False) for each in instances_below(extra_captures / "lab")
    }
    assert {name: each.wrong for name, each in found.items() if each.wrong} == {}
    assert NOT_COUNTED - set().union(*(each.left for each in found.values())) == set()


def test_a_wrong_number_is_found(extra_captures: Path) -> None:
    instance = Instance(extra_captures / "lab" / "more-loss-far")
    report = report_on(instance.files(instance.cases[0]))
    assert report is not None
    told = json.loads(report.model_dump_json())
    changed = 0
    for sentence in sentences_of(told, instance.folder):
        again = sentence.text.replace("retransmitted the SYN after ", "retransmitted the SYN after 9")
        if again != sentence.text:
            fits, problem = problem_of(type(sentence)(again, *list(vars(sentence).values())[1:]))
            assert fits
            assert problem
            changed += 1
    assert changed


def test_a_sentence_that_nothing_counts_again_is_found() -> None:

    assert _is_new("7 of 9 packets are of a sentence that no one wrote.")
