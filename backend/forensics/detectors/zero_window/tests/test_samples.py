"""Every sample is judged as it says, and each limit that keeps a wrong claim away is needed."""

from __future__ import annotations

import pytest

from backend.forensics.detectors.zero_window.detector import detect
from backend.forensics.tests.samples import Sample, load_samples, louder, loudest

SAMPLES = load_samples("backend.forensics.detectors.zero_window.tests.samples")


def test_there_is_a_sample_of_every_sort() -> None:
    assert {s.sort for s in SAMPLES} == {"Positive", "Negative", "Look-alike"}
    assert all(s.loosened is not None for s in SAMPLES if s.sort == "Look-alike")


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda s: s.name)
def test_a_sample_is_judged_as_it_says(sample: Sample) -> None:
    findings = detect(sample.build()).findings
    assert loudest(findings) == sample.expected.severity
    assert sum(f.count for f in findings) == sample.expected.count


@pytest.mark.parametrize("sample", [s for s in SAMPLES if s.loosened is not None], ids=lambda s: s.name)
def test_with_looser_limits_the_wrong_claim_is_made(sample: Sample) -> None:
    assert sample.wrong_claim
    detection = detect(sample.build(), sample.loosened)
    assert detection.status == "found"
    assert louder(loudest(detection.findings), sample.expected.severity)
