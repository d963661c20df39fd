"""Equal things, split at random a hundred times: nothing is worse."""

import numpy as np
import pytest

from backend.forensics.comparison.tests.build_report import compare, destination, report
from backend.forensics.report import DestinationPart, Report

SPLITS = 100


def _half(name: str, values: "np.ndarray[tuple[int], np.dtype[np.float64]]", again: int) -> DestinationPart:
    return destination(
        name, attempts=len(values), sent_again=again, connect_ms=values / 50, service_ms=values
    )


def _halves(chance: np.random.Generator) -> tuple[Report, Report]:
    """Three services as they are met: quick and even, of two speeds, and with a heavy tail and lost SYNs."""
    sides: tuple[list[DestinationPart], list[DestinationPart]] = ([], [])
    services = {
        "10.0.0.1:80": chance.normal(3.5, 0.2, 800).clip(0.1),
        "10.0.0.2:80": np.where(chance.random(300) < 0.4, 70, 4) + chance.exponential(1, 300),
        "10.0.0.3:80": chance.lognormal(2, 1.5, 1200),
    }
    for name, values in services.items():
        half = chance.random(len(values)) < chance.uniform(0.2, 0.8)
        again = chance.random(len(values)) < 0.02
        for side, chosen in zip(sides, (half, ~half), strict=True):
            side.append(_half(name, values[chosen], int(again[chosen].sum())))
    return report(*sides[0]), report(*sides[1])


def test_random_halves_of_one_run_are_the_same() -> None:
    chance = np.random.default_rng(20_261_121)
    verdicts = [compare(*_halves(chance)).verdict for _ in range(SPLITS)]
    assert verdicts == ["same"] * SPLITS


@pytest.mark.parametrize("factor", [1.6, 3.0])
def test_the_same_halves_with_one_slowed_down_are_not(factor: float) -> None:
    chance = np.random.default_rng(5)
    base, candidate = _halves(chance)
    slowed = [
        part.model_copy(
            update={
                "distributions": [
                    each.model_copy(update={"values": [value * factor for value in each.values]})
                    for each in part.distributions
                ]
            }
        )
        for part in candidate.destinations
    ]
    assert compare(base, candidate.model_copy(update={"destinations": slowed})).verdict == "worse"
