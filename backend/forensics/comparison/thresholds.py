"""When a difference is worth naming. Both a test and a minimum effect must say so: with many samples a test finds
differences that nobody feels, and with few an effect may be chance."""

from __future__ import annotations

from dataclasses import dataclass, field

from backend.forensics.wording import percent


@dataclass(frozen=True)
class Thresholds:
    """Defaults; tests loosen them one by one."""

    p_max: float = 0.001
    """After Holm's correction over all tests of one comparison: of a thousand comparisons of equal things at most one
    names anything, and the minimum effects below make it fewer. Samples of one run resemble one another more than
    those of two runs, so the usual 0.05 would name differences between any two days."""
    p_max_chance: float = 0.01
    """A finding on one side only, counted in attempts: above this the same rate on both sides explains it."""
    samples_min: int = 10
    """Samples a side: ten against ten can reach p = 0.00001, five against five only 0.008."""
    shift_min_ms: float = 1.0
    """Smallest change of the middle. Two runs of one healthy service on one machine differed by up to 0.6 ms."""
    shift_min_ratio: float = 0.1
    """The same, of the base's median: a tenth."""
    delta_min: float = 0.147
    """Smallest Cliff's delta: below it the effect is called negligible (Romano and others, 2006)."""
    tail_quantiles: tuple[float, ...] = (0.9, 0.95, 0.99)
    """Of both sides together: they find one in five, one in ten and one in fifty that became slow on one side."""
    tail_min_ms: float = 10.0
    """Smallest change of a tail: shorter hiccups are any scheduler's."""
    tail_min_ratio: float = 0.25
    """The same, of the quicker side's own quantile."""
    tail_samples_min: int = 5
    """Samples above the quantile on the worse side: fewer can be one hiccup."""
    share_min_ratio: float = 0.005
    """Smallest change of a share of attempts: one in two hundred."""
    rate_min_factor: float = 1.5
    """Smallest factor between two rates (shares of attempts, findings per time)."""
    counted_in_attempts: frozenset[str] = field(
        default_factory=lambda: frozenset(
            (
                "syn-retransmission",
                "tuple-collision",
                "snat-port-exhaustion",
                "port-reuse",
                "connection-reset",
                "unreachable",
                "ipvs-drain",
            )
        )
    )
    """Kinds whose `count` is one of connection attempts; the others happen in time."""


def rules_in_words(thresholds: Thresholds) -> list[str]:
    """How a comparison judges, for its reader."""
    return [
        "Connect times, round trips and service times are compared per destination by the Mann-Whitney test, shares "
        "of attempts by Fisher's exact test; Holm's correction covers all tests of the comparison.",
        f"A latency is worse or better if p is below {thresholds.p_max:g} after that correction, Cliff's delta is at "
        f"least {thresholds.delta_min:g}, and the whole 95 % interval of the shift lies beyond "
        f"{thresholds.shift_min_ms:g} ms and {percent(thresholds.shift_min_ratio)} of the base's median.",
        "It is also worse or better if its slowest tenth, twentieth or hundredth, tested by Fisher's exact "
        "test, moved by at least "
        f"{thresholds.tail_min_ms:g} ms and {percent(thresholds.tail_min_ratio)}.",
        f"A share or a rate is worse or better if it changed by a factor of {thresholds.rate_min_factor:g} or more, a "
        f"share by at least {percent(thresholds.share_min_ratio)} of the attempts, too.",
        "A finding on one side only is new or gone, unless the other side was not checked for it or chance "
        f"explains it (p of {thresholds.p_max_chance:g} or more).",
    ]
