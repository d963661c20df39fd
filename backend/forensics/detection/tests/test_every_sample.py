"""Every sample of every detector is judged as it says, and each limit that keeps a wrong claim away is needed."""

from __future__ import annotations

import importlib
from collections.abc import Callable

import pytest

from backend.forensics import detectors
from backend.forensics.detection.contract import Detection
from backend.forensics.detection.tests.test_every_detector import FOLDERS
from backend.forensics.tests.samples import Sample, highest_severity, load_samples, more_severe

SAMPLES = {folder: load_samples(f"{detectors.__name__}.{folder}.tests.samples") for folder in FOLDERS}
ALL = [pytest.param(folder, s, id=f"{folder}-{s.name}") for folder in FOLDERS for s in SAMPLES[folder]]
LOOSENED = [
    pytest.param(folder, s, id=f"{folder}-{s.name}")
    for folder in FOLDERS
    for s in SAMPLES[folder]
    if s.loosened
]


def _detect(folder: str) -> Callable[..., Detection]:
    detect: Callable[..., Detection] = importlib.import_module(
        f"{detectors.__name__}.{folder}.detector"
    ).detect
    return detect


@pytest.mark.parametrize("folder", FOLDERS)
def test_there_is_a_sample_of_every_sort(folder: str) -> None:
    assert {s.sort for s in SAMPLES[folder]} == {"Positive", "Negative", "Look-alike"}
    assert all(s.loosened is not None for s in SAMPLES[folder] if s.sort == "Look-alike")


@pytest.mark.parametrize(("folder", "sample"), ALL)
def test_a_sample_is_judged_as_it_says(folder: str, sample: Sample) -> None:
    findings = _detect(folder)(sample.build()).findings
    assert highest_severity(findings) == sample.expected.severity
    assert sum(f.count for f in findings) == sample.expected.count


@pytest.mark.parametrize(("folder", "sample"), LOOSENED)
def test_with_looser_limits_the_wrong_claim_is_made(folder: str, sample: Sample) -> None:
    assert sample.wrong_claim
    detection = _detect(folder)(sample.build(), sample.loosened)
    assert detection.status == "found"
    assert more_severe(highest_severity(detection.findings), sample.expected.severity)
