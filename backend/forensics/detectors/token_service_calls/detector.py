"""Callers that ask a token service for credentials while a request of theirs waits."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial

import numpy as np

from backend.forensics.cases.case import Flow
from backend.forensics.cases.token_service_calls import TokenServiceCalls
from backend.forensics.detection.contract import Detection
from backend.forensics.detection.present import present_case
from backend.forensics.detectors.token_service_calls.marks import draw_brackets, list_events
from backend.forensics.detectors.token_service_calls.thresholds import DEFAULT, Thresholds
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.requests.token_calls import TokenUse
from backend.forensics.findings import frame_evidence, plural, seconds_text
from backend.forensics.report import FindingPart
from backend.forensics.wording import percent

KIND = "token-service-calls"


@dataclass(frozen=True)
class Judged:
    """A caller with what its calls take of the requests that it serves."""

    use: TokenUse
    shares: tuple[float, float]
    """Of the service time of requests with calls: median and 95th percentile; 0 without."""
    call_ms: tuple[float, float]
    notable: bool


def detect(facts: Facts, thresholds: Thresholds = DEFAULT) -> Detection:
    """One finding per caller whose requests wait for calls."""
    if not facts.has_packets:
        return Detection("not-checkable", "needs a capture")
    judged = [_judge(use, thresholds) for use in facts.token_uses]
    if not judged:
        return Detection("clear", "no call to a token service by an address that serves requests")
    notable = [each for each in judged if each.notable]
    notable.sort(key=lambda each: (-int(each.use.call_ns.sum()), each.use.address))
    calls = sum(len(each.use.calls) for each in judged)
    why = f"{plural(calls, 'call')} to token services by {plural(len(judged), 'caller')}"
    rest = f"; {plural(len(notable), 'caller')} inside requests" if notable else ", none inside each request"
    judge, present = partial(_case, facts, thresholds), partial(_present, facts, thresholds)
    return Detection.of_groups(f"{why}{rest}", notable[: thresholds.findings_most], judge, present)


def _judge(use: TokenUse, limits: Thresholds) -> Judged:
    with_calls = np.flatnonzero(use.calls_in)
    service_ns = (use.served_end_ns - use.served_start_ns)[with_calls]
    shares = _middle(use.call_ns[with_calls] / np.maximum(service_ns, 1))
    call_ms = _middle(use.took_ns / 1e6)
    notable = (
        len(with_calls) >= limits.notable_requests
        and use.chance_p <= limits.significant_p
        and len(use.calls) / use.calls_needed >= limits.notable_excess_ratio
        and shares[0] >= limits.notable_share_ratio
        and call_ms[0] >= limits.notable_call_ms
    )
    return Judged(use, shares, call_ms, notable)


def _middle(values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> tuple[float, float]:
    """Median and 95th percentile, 0 of nothing."""
    middle, high = np.percentile(values, [50, 95]).tolist() if len(values) else (0.0, 0.0)
    return middle, high


def _case(facts: Facts, limits: Thresholds, judged: Judged) -> TokenServiceCalls:
    use, calls = judged.use, judged.use.calls
    with_calls = use.calls_in > 0
    service_ms = (use.served_end_ns - use.served_start_ns) / 1e6
    measured = calls.round_trip_ns[calls.round_trip_ns > 0]
    inputs = [facts.captures[n].name for n in calls.capture.tolist()]
    return TokenServiceCalls(
        severity="critical" if judged.shares[0] >= limits.critical_share_ratio else "warning",
        confidence=limits.confidence,
        summary=_summary(judged),
        count=len(calls),
        first_ns=int(calls.start_ns[0]),
        last_ns=int(calls.start_ns[-1]),
        time_lost_s=float(use.call_ns[np.flatnonzero(with_calls)[1:]].sum()) / 1e9,
        flows=(Flow("tcp", use.address, None),),
        evidence=tuple(frame_evidence(zip(inputs, calls.frame.tolist(), strict=True), "ClientHellos")),
        service=Counter(calls.service).most_common(1)[0][0],
        served_requests=len(use.served),
        served_requests_with_calls=int(np.count_nonzero(with_calls)),
        call_time_s=round(float(use.call_ns.sum()) / 1e9, 6),
        share_of_service_time_ratio=round(judged.shares[0], 4),
        share_of_service_time_p95_ratio=round(judged.shares[1], 4),
        call_median_ms=round(judged.call_ms[0], 3),
        call_p95_ms=round(judged.call_ms[1], 3),
        round_trip_median_ms=round(float(np.median(measured)) / 1e6, 3) if len(measured) else None,
        request_with_call_median_ms=round(float(np.median(service_ms[with_calls])), 3),
        request_without_call_median_ms=(
            None if with_calls.all() else round(float(np.median(service_ms[~with_calls])), 3)
        ),
        calls_needed=round(use.calls_needed, 3),
        chance_p_value=float(f"{use.chance_p:.3g}"),
    )


def _summary(judged: Judged) -> str:
    use = judged.use
    with_calls = int(np.count_nonzero(use.calls_in))
    return (
        f"{plural(len(use.calls), 'call')} to {Counter(use.calls.service).most_common(1)[0][0]} by {use.address}, "
        f"{seconds_text(judged.call_ms[0] / 1e3)} each (median); {with_calls:,} of "
        f"{plural(len(use.served), 'served request')} contained calls, which took {percent(judged.shares[0])} of the "
        "request time (median)."
    )


def _present(facts: Facts, limits: Thresholds, judged: Judged, case: TokenServiceCalls) -> FindingPart:
    return present_case(
        case,
        f"Calls to a token service inside requests served by {judged.use.address}",
        events=list_events(judged.use, limits.rows_most),
        marks=draw_brackets(facts, judged.use, limits.rows_most),
    )
