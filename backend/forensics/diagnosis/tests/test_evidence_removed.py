"""Every cause, over every sample: without a piece of its evidence it is less sure, and a refutation refutes it."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from backend.forensics import detectors
from backend.forensics.detection.run import run_detectors
from backend.forensics.diagnosis import causes
from backend.forensics.diagnosis.causes.tests.dump_cases import CASES
from backend.forensics.diagnosis.contract import POSSIBLE_ABOVE, Hypothesis, Weighed, weigh
from backend.forensics.diagnosis.run import discover_causes
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.report import EvidencePart
from backend.forensics.tests.samples import load_samples

DETECTORS = Path(detectors.__path__[0])
REFUTATION = Weighed(-12.0, "a refutation", [EvidencePart(input="x", lines=[1])], "for this test")


def _samples() -> dict[str, Callable[[], Facts]]:
    found = dict(CASES)
    for entry in pkgutil.iter_modules(detectors.__path__):
        if (DETECTORS / entry.name / "tests" / "samples").is_dir():
            samples = load_samples(f"{detectors.__name__}.{entry.name}.tests.samples")
            found |= {sample.name: sample.build for sample in samples}
    return found


SAMPLES = _samples()


@cache
def _facts(name: str) -> Facts:
    return SAMPLES[name]()


def _hypotheses(facts: Facts) -> dict[tuple[str, str], Hypothesis]:
    """By cause and title, the surest of each."""
    detected = run_detectors(facts)
    found: dict[tuple[str, str], Hypothesis] = {}
    for _, assess in discover_causes():
        for each in assess(facts, detected.cases):
            known = found.get((each.cause, each.title))
            if known is None or _score(each) > _score(known):
                found[each.cause, each.title] = each
    return found


@cache
def _whole(name: str) -> dict[tuple[str, str], Hypothesis]:
    return _hypotheses(_facts(name))


def _score(hypothesis: Hypothesis) -> float:
    return hypothesis.prior + sum(piece.weight for piece in hypothesis.weighed)


def _rests_on(pieces: Sequence[Weighed], dump: DumpInput) -> float:
    """What the pieces weigh together that cite this dump."""
    return sum(p.weight for p in pieces if any(e.input == dump.input and e.lines for e in p.evidence))


@pytest.mark.parametrize("name", SAMPLES)
def test_each_piece_taken_away_leaves_less(name: str) -> None:
    for hypothesis in _whole(name).values():
        confidence = weigh(hypothesis)[0]
        for piece in hypothesis.weighed:
            rest = tuple(other for other in hypothesis.weighed if other is not piece)
            less = weigh(replace(hypothesis, weighed=rest))[0]
            # Against the limits of a verdict a piece more changes nothing; it must never work the other way.
            assert (less <= confidence) if piece.weight > 0 else (less >= confidence)


@pytest.mark.parametrize("name", SAMPLES)
def test_each_dump_taken_away_that_speaks_for_it_leaves_less(name: str) -> None:
    facts = _facts(name)
    for dump in facts.kernel.dumps:
        supported = {key: each for key, each in _whole(name).items() if _rests_on(each.weighed, dump) > 0}
        if not supported:
            continue
        others = [each for each in facts.kernel.dumps if each is not dump]
        without = _hypotheses(gather_facts(facts.captures, others))
        for key, whole in supported.items():
            less = without.get(key)
            assert less is None or _score(less) < _score(whole), (key, dump.input)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_refutation_refutes(name: str) -> None:
    for hypothesis in _whole(name).values():
        refuted = replace(hypothesis, weighed=(*hypothesis.weighed, REFUTATION))
        confidence, verdict = weigh(refuted)
        assert (confidence <= POSSIBLE_ABOVE, verdict) == (True, "cannot-tell"), hypothesis.cause


@pytest.mark.parametrize("name", CASES)
def test_each_case_names_its_cause_alone(name: str) -> None:
    sure = {cause for (cause, _), found in _whole(name).items() if weigh(found)[0] >= 0.5}
    assert sure == {name}


def test_the_samples_reach_most_causes() -> None:
    reached = {cause for name in SAMPLES for cause, _ in _whole(name)}
    known = {
        importlib.import_module(f"{causes.__name__}.{entry.name}").CAUSE
        for entry in pkgutil.iter_modules(causes.__path__)
        if entry.name not in ("tests", "unknown")
    }
    assert reached <= known
    assert len(reached) >= len(known) // 2, sorted(known - reached)
