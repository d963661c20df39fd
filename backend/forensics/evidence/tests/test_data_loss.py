"""A SYN is repeated when either direction loses a packet, a data segment when its own does."""

from __future__ import annotations

import numpy as np
import pytest

from backend.forensics.diagnosis.loss_rivals import SAMPLE_LIKE_P, SIGNIFICANT_P
from backend.forensics.evidence.losses.data_loss import DataCount, rate_losses

RUNS = 1_000


def simulated_refuted(syns: int, out: float, back: float, to_host: int, from_host: int) -> float:
    """Share of runs in which loss on the path is refuted although it is what repeats the SYNs."""
    random = np.random.default_rng(syns + to_host)
    lost = random.binomial(syns, 1 - (1 - out) * (1 - back), RUNS).tolist()
    again_to = random.binomial(to_host, out, RUNS).tolist()
    again_from = random.binomial(from_host, back, RUNS).tolist()
    seen = zip(lost, again_to, again_from, strict=True)
    ps = [
        rate_losses(n, syns, DataCount(to_host, t), DataCount(from_host, f)).p_syns_more for n, t, f in seen
    ]
    return sum(p < SIGNIFICANT_P for p in ps) / RUNS


@pytest.mark.parametrize("loss", [0.01, 0.03, 0.05])
@pytest.mark.parametrize("syns", [150, 1_000, 10_000])
def test_symmetric_loss_is_not_refuted(syns: int, loss: float) -> None:
    assert simulated_refuted(syns, loss, loss, 2 * syns, 2 * syns) < 0.01


@pytest.mark.parametrize(("out", "back"), [(0.05, 0.0), (0.0, 0.05)])
@pytest.mark.parametrize(("to_host", "from_host"), [(1_000, 1_000), (1_000, 5_000), (5_000, 1_000)])
def test_loss_in_one_direction_is_not_refuted(out: float, back: float, to_host: int, from_host: int) -> None:
    assert simulated_refuted(1_000, out, back, to_host, from_host) < 0.01


def test_what_drops_syns_alone_is_told_from_loss() -> None:
    few = DataCount(1_000, 10)
    assert rate_losses(50, 1_000, few, few).p_syns_more < SIGNIFICANT_P
    assert rate_losses(21, 1_000, few, few).p_syns_more > SIGNIFICANT_P


def test_without_data_in_one_direction_nothing_is_refuted() -> None:
    rates = rate_losses(50, 1_000, DataCount(0, 0), DataCount(10_000, 0))
    assert rates.p_syns_more == 1.0
    assert rates.p_like == 1.0


@pytest.mark.parametrize(("syns_lost", "like"), [(1, False), (50, True), (100, True), (200, False)])
def test_syns_are_lost_like_data_at_its_rate_or_twice_it(syns_lost: int, like: bool) -> None:
    data = DataCount(1_000, 50)
    assert (rate_losses(syns_lost, 1_000, data, data).p_like > SAMPLE_LIKE_P) == like
