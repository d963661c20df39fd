"""Do stalls begin at a fixed interval? A poller's do: every 10, 15, 30 or 60 s, or at multiples of 100 ms."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

LEAST_ONSETS: Final = 5
SIGNIFICANT_P: Final = 0.001
_OVERSAMPLED: Final = 8
_MOST_FREQUENCIES: Final = 1 << 20


@dataclass(frozen=True)
class OnsetPeriod:
    """`p_value`: how likely onsets at random times look as periodic at any of the periods tried."""

    period_s: float
    p_value: float


def find_period(onsets_s: NDArray[np.floating[Any]]) -> OnsetPeriod | None:
    """The period that onsets keep best, by the Rayleigh statistic |sum exp(2 pi i t / P)|^2 / n over all periods from
    half the median gap to half the time seen, None when none is significant or there are fewer than five."""
    count = len(onsets_s)
    if count < LEAST_ONSETS:
        return None
    onsets: NDArray[np.float64] = np.sort(onsets_s).astype(np.float64) - float(onsets_s.min())
    seen_s, gap_s = float(onsets[-1]), float(np.median(np.diff(onsets)))
    if seen_s <= 0 or gap_s <= 0:
        return None
    slowest, fastest = 2 / seen_s, 2 / gap_s
    independent = max(1, math.ceil((fastest - slowest) * seen_s))
    tried = np.linspace(slowest, fastest, min(_MOST_FREQUENCIES, _OVERSAMPLED * independent))
    power = np.zeros(len(tried))
    for begin in range(0, len(tried), 4096):
        phases = 2j * np.pi * tried[begin : begin + 4096, None] * onsets[None, :]
        power[begin : begin + 4096] = np.abs(np.exp(phases).sum(axis=1)) ** 2 / count
    # A period that fits is fitted by all its fractions: the longest of the equally good ones is meant.
    best = int(np.flatnonzero(power >= 0.95 * power.max())[0])
    p_value = min(1.0, independent * math.exp(-float(power[best])))
    return OnsetPeriod(_fitted(onsets, 1 / float(tried[best])), p_value) if p_value < SIGNIFICANT_P else None


def _fitted(onsets_s: NDArray[np.float64], period_s: float) -> float:
    """The period by least squares, with each onset at the cycle that the period found puts it in."""
    steps = np.maximum(1, np.rint(np.diff(onsets_s) / period_s))
    cycles = np.concatenate(([0.0], np.cumsum(steps)))
    return float(np.polyfit(cycles, onsets_s, 1)[0])
