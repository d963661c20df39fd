"""What reports say is counted again by scapy, from the frames that they cite."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from workers.tests.lab.evidence import Instance, instances_below, report_on
from workers.tests.lab.recomputed import problem_of
from workers.tests.lab.sentences import sentences_of

SHORT = ("dns-5s", "more-loss-far")
COUNTED_LEAST = 6
"""Sentences of the short instances that are counted again: a template that no longer fits its sentence is missed."""

NOT_COUNTED: dict[str, str] = {
    r"lookups?\b|queries|questions?\b|names?\b|query|their socket|pairs": "a lookup joins queries of several types, "
    "names and tries: who asked for what is judged, not counted",
    r"p [=<]": "a statistic over all connections or round trips, of which only the lost ones are cited",
    r"stalls?\b|round trips?|RTT|groups?\b|answers|answered|responses?\b|held|queue|burst|of the delay": "of all "
    "round trips, told apart by their distribution; the cited frames are examples",
    r"requests?\b|calls?\b|credentials|refresh|handed out|after the last answer": "of payload (HTTP) that scapy does "
    "not read here",
    r"segments?\b": "a segment's fate joins several vantage points; of it only the wait is counted again",
    r"SYNs?\b|attempts?\b|connections?\b|tuple|ports?\b|entries|source|retry|retries|retransmissions?\b|waits?\b": (
        "of all attempts or of tables, of which only the lost ones are cited"
    ),
    r"ICMP|errors?\b|unreachable": "the same error is quoted at several vantage points",
    r"\d(?:\.\d+){3}|rule|net\.\w+|kernel|MTU|rp_filter|share the|packets?\b|TTL|counter|Conn\b|Commands|"
    r"nr_throttled": ("a line, a name or a header as it stands, not a count"),
}
"""Pattern -> why sentences of other templates that hold numbers are not counted again."""


def _wrong(instance: Instance, first_only: bool) -> tuple[int, list[str]]:
    counted, wrong = 0, []
    for case in instance.cases[: 1 if first_only else None]:
        report = report_on(instance.files(case))
        if report is None:
            continue
        for sentence in sentences_of(json.loads(report.model_dump_json()), instance.folder):
            fits, problem = problem_of(sentence)
            counted += fits
            if problem:
                wrong.append(f"{case['name']}: “{sentence.text}”: {problem}")
            elif not fits and re.search(r"\d", sentence.text) and not _excused(sentence.text):
                wrong.append(f"{case['name']}: “{sentence.text}”: no template and no reason")
    return counted, wrong


def _excused(text: str) -> bool:
    return any(re.search(pattern, text) for pattern in NOT_COUNTED)


@pytest.mark.parametrize("name", SHORT)
def test_sentences_of_recorded_incidents_are_true(extra_captures: Path, name: str) -> None:
    counted, wrong = _wrong(Instance(extra_captures / "lab" / name), first_only=True)
    assert wrong == []
    assert counted >= COUNTED_LEAST


@pytest.mark.long
def test_sentences_of_all_recorded_incidents_are_true(extra_captures: Path) -> None:
    wrong = {
        each.folder.name: found
        for each in instances_below(extra_captures / "lab")
        if (found := _wrong(each, first_only=False)[1])
    }
    assert wrong == {}


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
