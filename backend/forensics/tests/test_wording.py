"""How results are worded, over every sample of every detector: one line, thousands separated."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel

from backend.forensics import detectors
from backend.forensics.detection.discovery import discover_detectors
from backend.forensics.detection.run import run_detectors
from backend.forensics.diagnosis.contract import STATEMENT_LONGEST
from backend.forensics.diagnosis.run import diagnose
from backend.forensics.quality_strip import describe_quality
from backend.forensics.report import DiagnosisPart
from backend.forensics.tests.samples import Sample, load_samples
from backend.forensics.wording import percent

FORENSICS = Path(__file__).parents[1]
BARE_COUNT = re.compile(r"\{(?:len\([^{}]*\)|[\w.]*_total|rise|lost_alone)\}")
"""A count in an f-string without `:,`."""


def samples() -> Iterator[Sample]:
    for entry in pkgutil.iter_modules(detectors.__path__):
        folder = FORENSICS / "detectors" / entry.name / "tests" / "samples"
        if folder.is_dir():
            yield from load_samples(f"{detectors.__name__}.{entry.name}.tests.samples")


def diagnoses(sample: Sample) -> list[DiagnosisPart]:
    facts = sample.build()
    detected = run_detectors(facts)
    return diagnose(facts, detected.cases).diagnoses


@pytest.mark.parametrize("sample", list(samples()), ids=lambda sample: sample.name)
def test_a_statement_is_one_sentence_of_one_line(sample: Sample) -> None:
    for diagnosis in diagnoses(sample):
        assert len(diagnosis.statement) <= STATEMENT_LONGEST
        assert diagnosis.statement.endswith("."), diagnosis.statement
        assert "\n" not in diagnosis.statement


def test_every_detector_gives_samples() -> None:
    kinds = {detector.kind.replace("-", "_") for detector in discover_detectors()}
    with_samples = {
        entry.name
        for entry in pkgutil.iter_modules(detectors.__path__)
        if (FORENSICS / "detectors" / entry.name / "tests" / "samples").is_dir()
    }
    assert kinds <= with_samples


def test_counts_are_written_with_thousands_separators() -> None:
    bare = [
        f"{path.relative_to(FORENSICS)}: {line.strip()}"
        for part in ("diagnosis", "detectors")
        for path in sorted((FORENSICS / part).rglob("*.py"))
        if "tests" not in path.parts
        for line in path.read_text(encoding="utf-8").splitlines()
        if 'f"' in line and BARE_COUNT.search(line)
    ]
    assert bare == []


ONE_OF_MANY = re.compile(
    r"(?<![\d.,:/#])\b1 (?!was\b|has\b|is\b|as\b|less\b|ms\b|µs\b|ns\b|this\b|us\b|its\b|does\b)[a-z]+s\b"
)
NO_TIME = re.compile(r"(?:again )?after 0\.0+ m?s\b|\bp = (?:\d[\d.]*e-|[01]\b(?!\.))")
SHARE_WITHOUT_SPACE = re.compile(r"\d%(?![0-9A-Fa-f]{2})")
"""``72%``, and no character of a URL."""
OWN_SHARE = re.compile(r"\{[^{}]*:[^{}]*%\}")
"""A format of percentages in an f-string."""
REPORTING = (FORENSICS, FORENSICS.parent / "services", FORENSICS.parents[1] / "workers")

WRONG = re.compile("|".join(each.pattern for each in (ONE_OF_MANY, NO_TIME, SHARE_WITHOUT_SPACE)))


def texts_below(content: object) -> Iterator[str]:
    if isinstance(content, BaseModel):
        yield from texts_below(content.__dict__)
    elif isinstance(content, dict):
        for value in content.values():
            yield from texts_below(value)
    elif isinstance(content, list | tuple):
        for value in content:
            yield from texts_below(value)
    elif isinstance(content, str):
        yield content


def wrong_words(texts: Iterator[str]) -> list[str]:
    return sorted({text for text in texts if WRONG.search(text)})


@pytest.mark.parametrize("sample", list(samples()), ids=lambda sample: sample.name)
def test_numbers_agree_and_no_time_is_rounded_to_nothing(sample: Sample) -> None:
    facts = sample.build()
    detected = run_detectors(facts)
    parts = (
        detected.findings,
        detected.checked,
        diagnose(facts, detected.cases).diagnoses,
        describe_quality(facts, detected.findings),
    )
    assert wrong_words(texts_below(parts)) == []


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("1 of 1 attempts", True),
        ("1 attempts", True),
        ("21 attempts", False),
        ("0.1 attempts", False),
        ("1 attempt was", False),
        ("1 was sent", False),
        ("sent again after 0.00 ms", True),
        ("sent again after 0.01 ms", False),
        ("p = 5e-311", True),
        ("p < 0.001", False),
        ("p = 1", True),
        ("p = 0.04", False),
        ("72%", True),
        ("72 %", False),
        ("GET /a%20b1%2F", False),
    ],
)
def test_the_words_that_are_looked_for(text: str, wrong: bool) -> None:
    assert bool(wrong_words(iter([text]))) is wrong


def test_percentages_are_written_by_one_function() -> None:
    own = [
        f"{path.name}: {line.strip()}"
        for folder in REPORTING
        for path in sorted(folder.rglob("*.py"))
        if "tests" not in path.parts
        for line in path.read_text(encoding="utf-8").splitlines()
        if OWN_SHARE.search(line)
    ]
    assert own == []


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (0, "0 %"),
        (0.0004, "less than 0.1 %"),
        (0.048, "4.8 %"),
        (0.72, "72 %"),
        (0.95, "95.0 %"),
        (0.9996, "more than 99.9 %"),
        (1, "100 %"),
    ],
)
def test_only_none_is_zero_percent_and_only_all_is_a_hundred(ratio: float, text: str) -> None:
    assert percent(ratio) == text
