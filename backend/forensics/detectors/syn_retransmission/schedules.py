"""The back-off schedules of SYNs, as gaps between one SYN and the next (seconds).

Linux: net/ipv4/tcp_timer.c, TCP_TIMEOUT_INIT = 1 s; `tcp_syn_linear_timeouts` since 6.5 (commit
ccce324dabfe)."""

from __future__ import annotations

from collections.abc import Sequence

from backend.forensics.detectors.syn_retransmission.thresholds import DEFAULT, Thresholds

SCHEDULES: dict[str, tuple[float, ...]] = {
    "linux-exponential": (1, 2, 4, 8, 16, 32),
    "linux-linear": (1, 1, 1, 1, 1, 2, 4, 8, 16, 32),
    "three-second": (3, 6, 12, 24, 48),
    "macos": (1, 1, 1, 1, 1, 2, 4, 8, 16, 32),
}
"""In order of preference: the first that fits is named. macOS shares its first steps with Linux 6.5."""

IRREGULAR = "irregular"
ROUNDING_S = 1e-9
"""Times are whole nanoseconds: what binary fractions add must not decide at the limit."""


def fits(gaps_s: Sequence[float], schedule: str, thresholds: Thresholds = DEFAULT) -> bool:
    """Whether every gap is the schedule's gap within the tolerance.

    Two gaps or more may begin with the schedule's second step: the first SYN was sent before the capture began."""
    steps = SCHEDULES[schedule]
    return _follows(gaps_s, steps, thresholds) or (
        len(gaps_s) > 1 and steps[1] == 2 * steps[0] and _follows(gaps_s, steps[1:], thresholds)
    )


def _follows(gaps_s: Sequence[float], steps: Sequence[float], thresholds: Thresholds) -> bool:
    if not gaps_s or len(gaps_s) > len(steps):
        return False
    return all(_is_step(gap, step, thresholds) for gap, step in zip(gaps_s, steps, strict=False))


def _is_step(gap_s: float, step_s: float, thresholds: Thresholds) -> bool:
    tolerance_s = max(thresholds.step_tolerance_s, thresholds.step_tolerance_ratio * step_s)
    long_step = step_s >= thresholds.coarse_from_s
    late_s = max(tolerance_s, thresholds.coarse_ratio * step_s) if long_step else tolerance_s
    return step_s - tolerance_s - ROUNDING_S <= gap_s <= step_s + late_s + ROUNDING_S


def name_schedule(attempts_gaps_s: Sequence[Sequence[float]], thresholds: Thresholds = DEFAULT) -> str:
    """The schedule that most attempts follow; `IRREGULAR` when fewer than half follow any."""
    best, most = IRREGULAR, len(attempts_gaps_s) / 2
    for schedule in SCHEDULES:
        matched = sum(fits(gaps, schedule, thresholds) for gaps in attempts_gaps_s)
        if matched > most or (matched == most and matched and best == IRREGULAR):
            best, most = schedule, matched
    return best


def expected_times_s(schedule: str) -> tuple[float, ...]:
    """Times of the retries after the first SYN: 1, 3, 7 … for `linux-exponential`."""
    total, times = 0.0, []
    for step in SCHEDULES.get(schedule, ()):
        total += step
        times.append(total)
    return tuple(times)
