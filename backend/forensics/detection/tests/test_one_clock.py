"""All times of a finding are on the clock that all captures share: if that is another one, every time moves along.

The captures' own clocks are where the samples put them; only what they are compared with is moved."""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from backend.forensics import detectors
from backend.forensics.captures import Capture
from backend.forensics.detection.tests.test_every_detector import FOLDERS
from backend.forensics.detection.tests.test_every_sample import SAMPLES
from backend.forensics.evidence.clocks import sightings
from backend.forensics.evidence.clocks.clocks import Clocks, Shift, compare_clocks
from backend.forensics.findings import rfc3339
from backend.forensics.report import FindingPart
from backend.forensics.tests.samples import Sample
from backend.services.open_tables import epoch_ns

AHEAD_NS = 300_000_000
TIME = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{9}Z")
ON_THEIR_OWN = frozenset({"rtt-backlog", "queue-buildup"})
"""docs/detection.md: events of stalls have the times of the vantage point that saw the probes leave."""
LISTED = ("drained_at", "removed_at")
"""Measures that are times of listings."""
POSITIVE = [
    pytest.param(folder, sample, id=f"{folder}-{sample.name}")
    for folder in FOLDERS
    for sample in SAMPLES[folder]
    if sample.sort == "Positive"
]


def _ahead(captures: Sequence[Capture]) -> Clocks:
    """All captures as far ahead of the clock that they are compared with."""
    clocks = compare_clocks(captures)
    shifts = tuple(replace(shift, offset_ns=shift.offset_ns + AHEAD_NS) for shift in clocks._shifts)
    return replace(clocks, _shifts=shifts or (Shift(AHEAD_NS),) * len(captures))


def _moved(told: Any) -> Any:
    if isinstance(told, dict):
        return {key: _moved(value) for key, value in told.items()}
    if isinstance(told, list):
        return [_moved(value) for value in told]
    if isinstance(told, str) and TIME.fullmatch(told):
        return rfc3339(epoch_ns(told) - AHEAD_NS)
    return told


def _told(findings: Sequence[FindingPart]) -> list[dict[str, Any]]:
    """All but what dumps and listings tell, and what the contract leaves on the capture's clock."""
    shown = []
    for finding in findings:
        told = finding.model_dump()
        told["marks"] = [mark for mark in told["marks"] if mark["evidence"][0]["frames"]]
        told["measures"] = {name: each for name, each in told["measures"].items() if name not in LISTED}
        if finding.kind in ON_THEIR_OWN:
            told = {key: told[key] for key in ("id", "count", "marks")}
        shown.append(told)
    return shown


@pytest.mark.parametrize(("folder", "sample"), POSITIVE)
def test_every_time_of_a_finding_is_on_one_clock(
    folder: str, sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    detect = importlib.import_module(f"{detectors.__name__}.{folder}.detector").detect
    before = _told(detect(sample.build()).findings)
    monkeypatch.setattr(sightings, "compare_clocks", _ahead)
    after = _told(detect(sample.build()).findings)
    assert after == _moved(before)
