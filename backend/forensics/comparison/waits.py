"""Connect times, round trips and service times of one destination on both sides; shares of its attempts."""

from __future__ import annotations

import numpy as np

from backend.forensics.comparison.pairing import DestinationPair
from backend.forensics.comparison.plain import ms_text, p_text
from backend.forensics.comparison.result import (
    ShareChangePart,
    ShareName,
    ShareSidePart,
    State,
    TailPart,
    WaitChangePart,
    WaitSidePart,
)
from backend.forensics.comparison.statistics import Values, difference_interval, fisher_p, rank_shift
from backend.forensics.comparison.thresholds import Thresholds
from backend.forensics.report import DestinationPart, DistributionPart

QUANTILES = 41
"""0, 2.5, 5, … 100 %."""
SHARES: tuple[ShareName, ...] = ("sent_again", "unopened")


def measure_waits(pair: DestinationPair, thresholds: Thresholds) -> list[WaitChangePart]:
    """What both sides have enough samples of, not judged yet."""
    base_by_quantity = {each.quantity: each for each in pair.base.distributions}
    return [
        _measured(pair, base_by_quantity[each.quantity], each, thresholds)
        for each in pair.candidate.distributions
        if each.quantity in base_by_quantity
        and min(each.samples, base_by_quantity[each.quantity].samples) >= thresholds.samples_min
    ]


def measure_shares(pair: DestinationPair, thresholds: Thresholds) -> list[ShareChangePart]:
    """Attempts sent again and never opened, not judged yet; where neither side has any there is no test."""
    if min(pair.base.attempts, pair.candidate.attempts) < thresholds.samples_min:
        return []
    return [_share(pair, name) for name in SHARES if _count(pair.base, name) + _count(pair.candidate, name)]


def judge_wait(part: WaitChangePart, adjusted: list[float], thresholds: Thresholds) -> WaitChangePart:
    """With the adjusted p of the rank test and of each tail, in that order."""
    tails = [
        tail.model_copy(update={"p_adjusted": p}) for tail, p in zip(part.tails, adjusted[1:], strict=True)
    ]
    part = part.model_copy(update={"p_adjusted": adjusted[0], "tails": tails})
    state, because = _middle(part, thresholds)
    if state == "same":
        state, because = _tail(part, thresholds)
    return part.model_copy(update={"state": state, "because": because})


def judge_share(part: ShareChangePart, p_adjusted: float, thresholds: Thresholds) -> ShareChangePart:
    """With the adjusted p."""
    low, high = sorted((part.base.ratio, part.candidate.ratio))
    large = high - low >= thresholds.share_min_ratio and high >= thresholds.rate_min_factor * low
    changed = p_adjusted < thresholds.p_max and large
    state: State = "same" if not changed else "worse" if part.difference_ratio > 0 else "better"
    because = (
        f"{part.candidate.count:,} of {part.candidate.out_of:,} attempts against {part.base.count:,} of "
        f"{part.base.out_of:,}, {p_text(p_adjusted)}"
    )
    return part.model_copy(update={"p_adjusted": p_adjusted, "state": state, "because": because})


def _measured(
    pair: DestinationPair, base: DistributionPart, candidate: DistributionPart, thresholds: Thresholds
) -> WaitChangePart:
    first, second = np.array(base.values), np.array(candidate.values)
    shift = rank_shift(first, second)
    return WaitChangePart(
        state="same",
        quantity=candidate.quantity,
        destination=pair.candidate.destination,
        base_destination=pair.base.destination,
        base=_side(base, first),
        candidate=_side(candidate, second),
        shift_ms=round(shift.shift, 3),
        shift_low_ms=round(shift.low, 3),
        shift_high_ms=round(shift.high, 3),
        cliffs_delta=round(shift.cliffs_delta, 4),
        p_value=shift.p_value,
        tails=[_tail_part(first, second, quantile) for quantile in thresholds.tail_quantiles],
        because="",
    )


def _side(part: DistributionPart, values: Values) -> WaitSidePart:
    median, p95, p99 = (round(float(q), 3) for q in np.quantile(values, (0.5, 0.95, 0.99)))
    spread = [round(float(q), 3) for q in np.quantile(values, np.linspace(0, 1, QUANTILES))]
    return WaitSidePart(samples=part.samples, median_ms=median, p95_ms=p95, p99_ms=p99, quantiles_ms=spread)


def _tail_part(first: Values, second: Values, quantile: float) -> TailPart:
    """The limit is a quantile of both sides together, so that it favours neither."""
    above = float(np.quantile(np.concatenate([first, second]), quantile))
    counts = [(int(np.count_nonzero(values > above)), len(values)) for values in (first, second)]
    return TailPart(
        quantile=quantile,
        above_ms=round(above, 3),
        base_ratio=round(counts[0][0] / counts[0][1], 4),
        candidate_ratio=round(counts[1][0] / counts[1][1], 4),
        base_ms=round(float(np.quantile(first, (1 + quantile) / 2)), 3),
        candidate_ms=round(float(np.quantile(second, (1 + quantile) / 2)), 3),
        p_value=fisher_p(*counts),
    )


def _middle(part: WaitChangePart, thresholds: Thresholds) -> tuple[State, str]:
    nearest_ms = part.shift_low_ms if part.shift_ms > 0 else -part.shift_high_ms
    floor_ms = max(thresholds.shift_min_ms, thresholds.shift_min_ratio * part.base.median_ms)
    changed = (
        part.p_adjusted is not None
        and part.p_adjusted < thresholds.p_max
        and abs(part.cliffs_delta) >= thresholds.delta_min
        and nearest_ms >= floor_ms
    )
    medians = f"median {ms_text(part.candidate.median_ms)} against {ms_text(part.base.median_ms)}"
    if not changed:
        return "same", medians
    way = "longer" if part.shift_ms > 0 else "shorter"
    low, high = sorted((abs(part.shift_low_ms), abs(part.shift_high_ms)))
    because = (
        f"{medians}: {ms_text(abs(part.shift_ms))} {way} (95 %: {ms_text(low)} to {ms_text(high)}), "
        f"{p_text(part.p_adjusted)}"
    )
    return ("worse" if part.shift_ms > 0 else "better"), because


def _tail(part: WaitChangePart, thresholds: Thresholds) -> tuple[State, str]:
    for tail in part.tails:
        grew_ms = tail.candidate_ms - tail.base_ms
        slower = grew_ms > 0
        above = (
            tail.candidate_ratio * part.candidate.samples if slower else tail.base_ratio * part.base.samples
        )
        floor_ms = thresholds.tail_min_ratio * min(tail.base_ms, tail.candidate_ms)
        changed = (
            tail.p_adjusted is not None
            and tail.p_adjusted < thresholds.p_max
            and (tail.candidate_ratio > tail.base_ratio) == slower
            and above >= thresholds.tail_samples_min
            and abs(grew_ms) >= max(thresholds.tail_min_ms, floor_ms)
        )
        if changed:
            percentile = f"{50 * (1 + tail.quantile):g}th percentile"
            because = (
                f"{percentile} {ms_text(tail.candidate_ms)} against {ms_text(tail.base_ms)}, "
                f"{p_text(tail.p_adjusted)}"
            )
            return ("worse" if slower else "better"), because
    return "same", f"median {ms_text(part.candidate.median_ms)} against {ms_text(part.base.median_ms)}"


def _share(pair: DestinationPair, name: ShareName) -> ShareChangePart:
    first, second = ((_count(side, name), side.attempts) for side in (pair.base, pair.candidate))
    low, high = difference_interval(first, second)
    base, candidate = (ShareSidePart(count=n, out_of=of, ratio=round(n / of, 5)) for n, of in (first, second))
    return ShareChangePart(
        state="same",
        quantity=name,
        destination=pair.candidate.destination,
        base_destination=pair.base.destination,
        base=base,
        candidate=candidate,
        difference_ratio=round(candidate.ratio - base.ratio, 5),
        difference_low_ratio=round(low, 5),
        difference_high_ratio=round(high, 5),
        p_value=fisher_p(first, second),
        because="",
    )


def _count(part: DestinationPart, name: ShareName) -> int:
    return part.sent_again if name == "sent_again" else part.unopened
