"""Planted stalls of random start, length and traffic are found to within one sample; shuffled noise has none."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

from backend.forensics.detectors.rtt_backlog.detector import detect
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.round_trips import DATA, ECHO, SYN_ANSWERED
from backend.forensics.tests.build_trips import MS, T0_NS, TripBuilder, stalled

PLANTED = 60
SHUFFLED = 300
SHUFFLED_LONG = 10_000


@pytest.mark.parametrize("seed", range(PLANTED))
def test_a_planted_stall_is_found_to_within_one_sample(seed: int) -> None:
    random = np.random.default_rng(seed)
    interval_ms, length_ms = random.uniform(2, 30), random.uniform(60, 900)
    length_ms = max(length_ms, 8 * interval_ms)
    begin_ms = random.uniform(500, 3000)
    held = stalled(
        (begin_ms, begin_ms + length_ms), usual_ms=random.uniform(0.05, 40), drain_ms=random.uniform(0, 0.01)
    )
    sent = np.cumsum(random.uniform(0.3, 1.7, int(8000 / interval_ms)) * interval_ms)
    noise = random.exponential(0.1, len(sent))
    kinds = random.choice([SYN_ANSWERED, DATA, ECHO], len(sent), p=random.dirichlet([1, 1, 1])).tolist()
    capture = TripBuilder()
    for number, (sent_ms, noise_ms) in enumerate(zip(sent.tolist(), noise.tolist(), strict=True)):
        port = 0 if kinds[number] == ECHO else 1024 + number % 60_000
        capture.add(sent_ms, held(sent_ms) + noise_ms, kind=kinds[number], port=port)
    detection = detect(gather_facts([capture.build()], []))
    [event] = [event for finding in detection.findings for event in finding.events]
    inside = sent[(sent >= begin_ms) & (sent < begin_ms + length_ms)]
    # What is sent in the last milliseconds waits no longer than the noise does: nobody can tell it was held.
    certain = int(np.count_nonzero(inside < begin_ms + length_ms - 2))
    assert certain - 1 <= event["samples"] <= len(inside) + 1
    [finding] = detection.findings
    rows = finding.tables[0].rows
    first_ms = inside[0]
    assert finding.first is not None
    assert rows[0][1] == finding.first
    assert abs(_ms(event, capture, first_ms)) <= 1e-3


def _ms(event: dict[str, object], capture: TripBuilder, first_ms: float) -> float:
    """How far the event's start is from the first question sent in the stall."""
    start = np.datetime64(str(event["start"]).rstrip("Z"), "ns").astype(np.int64)
    return float(start - T0_NS) / MS - first_ms


def _noise(random: np.random.Generator) -> TripBuilder:
    """Round trips of a path that jitters, or those of a path with stalls in a random order."""
    sent = np.cumsum(random.uniform(0.5, 1.5, 600) * random.choice([2.0, 10.0, 40.0]))
    kind = random.integers(3)
    if kind == 0:
        held = stalled(*((500.0 + 900 * n, 640.0 + 900 * n) for n in range(20)))
        rtt = random.permutation(np.array([held(ms) for ms in sent.tolist()]))
    elif kind == 1:
        rtt = 5 + random.exponential(random.uniform(1, 80), len(sent))
    else:
        rtt = (
            20
            + random.normal(0, 0.5, len(sent))
            + (random.random(len(sent)) < 0.1) * random.exponential(60, len(sent))
        )
    capture = TripBuilder()
    for sent_ms, rtt_ms in zip(sent.tolist(), np.maximum(rtt, 0.01).tolist(), strict=True):
        capture.add(sent_ms, rtt_ms)
    return capture


def test_shuffled_noise_has_no_stall() -> None:
    _try_noise(range(SHUFFLED))


@pytest.mark.long
def test_shuffled_noise_has_no_stall_in_ten_thousand_trials() -> None:
    _try_noise(range(SHUFFLED, SHUFFLED + SHUFFLED_LONG))


def _try_noise(trials: Iterable[int]) -> None:
    for trial in trials:
        detection = detect(gather_facts([_noise(np.random.default_rng(trial)).build()], []))
        assert not detection.findings, f"trial {trial}: {detection.findings[0].summary}"
