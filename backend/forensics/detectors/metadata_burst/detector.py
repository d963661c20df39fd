"""Says of each caller how its metadata calls meet the requests that it serves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from backend.forensics.cases.case import Flow, end_of
from backend.forensics.cases.metadata_burst import MetadataBurst
from backend.forensics.detection.contract import Detection
from backend.forensics.detection.present import present_case
from backend.forensics.detectors.metadata_burst.marks import draw_brackets, list_events
from backend.forensics.detectors.metadata_burst.tables import call_table, request_table
from backend.forensics.detectors.metadata_burst.thresholds import DEFAULT, Thresholds
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.requests.metadata_calls import MetadataUse, call_frames, endpoints_of
from backend.forensics.evidence.requests.metadata_pattern import Pattern
from backend.forensics.findings import frame_evidence, plural, seconds_text
from backend.forensics.report import FindingPart, Severity
from backend.forensics.wording import percent

KIND = "metadata-burst"


@dataclass(frozen=True)
class Judged:
    """A caller with its pattern and what is wrong with it; each is a reason to be notable."""

    use: MetadataUse
    pattern: Pattern
    refreshes_in_requests: bool
    calls_in_requests: bool
    refreshes_alone: bool
    slow: bool
    shares: tuple[float, float]
    """Of the service time of requests with calls, in the middle and the 95th percentile; 0 without."""
    slow_calls: int

    @property
    def notable(self) -> bool:
        return self.refreshes_in_requests or self.calls_in_requests or self.refreshes_alone or self.slow


def detect(facts: Facts, thresholds: Thresholds = DEFAULT) -> Detection:
    """One finding per caller; those that are no burst are `info`."""
    if not facts.has_packets:
        return Detection("not-checkable", "needs a capture")
    pairs = zip(facts.metadata_uses, facts.metadata_patterns, strict=True)
    judged = [_judge(use, pattern, thresholds) for use, pattern in pairs]
    if not judged:
        return Detection("clear", "no metadata service call in clear-text HTTP")
    judged.sort(
        key=lambda j: (not j.notable, -int(j.use.metadata_ns.sum()), -len(j.use.calls), j.use.address)
    )
    calls = sum(len(each.use.calls) for each in judged)
    notable = sum(each.notable for each in judged)
    why = f"{plural(calls, 'metadata call')} by {plural(len(judged), 'caller')}"
    rest = (
        f"; {plural(notable, 'caller')} with bursts"
        if notable
        else ", none of them a burst inside requests, slow or unanswered"
    )
    judge, present = partial(_case, facts, thresholds), partial(_present, facts, thresholds)
    return Detection.of_groups(f"{why}{rest}", judged[: thresholds.findings_most], judge, present)


def _judge(use: MetadataUse, pattern: Pattern, limits: Thresholds) -> Judged:
    with_calls = np.flatnonzero(use.calls_in)
    service_ns = (use.served_end_ns - use.served_start_ns)[with_calls]
    shares = use.metadata_ns[with_calls] / np.maximum(service_ns, 1)
    middle, high = np.percentile(shares, [50, 95]).tolist() if len(shares) else (0.0, 0.0)
    excess = pattern.excess_ratio > limits.notable_excess_ratio
    answer_s = (use.calls.end_ns - use.calls.start_ns) / 1e9
    slow = int(np.count_nonzero((answer_s >= limits.slow_call_s) | use.calls.silent | use.calls.unheard))
    return Judged(
        use=use,
        pattern=pattern,
        refreshes_in_requests=(
            pattern.requests_refreshing - 1 >= limits.notable_refreshes
            and pattern.refresh_chance_p <= limits.significant_p
            and excess
        ),
        calls_in_requests=(
            len(with_calls) >= limits.notable_calls_in_requests
            and pattern.chance_p <= limits.significant_p
            and middle >= limits.notable_share_ratio
        ),
        refreshes_alone=(
            excess
            and pattern.refreshes_on_one_connection >= limits.notable_on_one_connection
            and pattern.refresh_gap_s is not None
            and pattern.refresh_gap_s < limits.poll_period_s
        ),
        slow=slow >= limits.notable_slow_calls,
        shares=(middle, high),
        slow_calls=slow,
    )


def _severity(judged: Judged, limits: Thresholds) -> Severity:
    if not judged.notable:
        return "info"
    often = int(np.count_nonzero(judged.use.calls_in)) >= limits.critical_requests
    return "critical" if often and judged.shares[0] >= limits.critical_share_ratio else "warning"


def _time_lost_s(judged: Judged) -> float:
    """What the calls took inside requests; one load of credentials is needed and not counted."""
    if not judged.notable:
        return 0.0
    with_calls = np.flatnonzero(judged.use.calls_in)
    skipped = 1 if judged.pattern.refreshes and not judged.slow else 0
    return float(judged.use.metadata_ns[with_calls[skipped:]].sum()) / 1e9


def _confidence(judged: Judged) -> float:
    if judged.refreshes_in_requests or judged.calls_in_requests:
        return 0.95
    return 0.8 if judged.notable else 0.9


def _title(judged: Judged) -> str:
    if judged.refreshes_in_requests or judged.calls_in_requests:
        return f"Metadata calls inside requests served by {judged.use.address}"
    if judged.refreshes_alone:
        return f"Credential refresh storm by {judged.use.address}"
    if judged.slow:
        return f"Slow or unanswered metadata calls by {judged.use.address}"
    return f"Metadata calls by {judged.use.address}"


def _summary(judged: Judged) -> str:
    use, pattern = judged.use, judged.pattern
    with_calls = int(np.count_nonzero(use.calls_in))
    text = f"{plural(len(use.calls), 'metadata call')} by {use.address}"
    if not len(use.served):
        text += "; no served request in clear-text HTTP was captured."
    elif not with_calls:
        text += f", none inside the {plural(len(use.served), 'request')} that it served."
    else:
        text += (
            f"; {with_calls:,} of {plural(len(use.served), 'served request')} contained calls, which took "
            f"{percent(judged.shares[0])} of the request time (median)."
        )
    if pattern.lifetime_s is not None:
        text += f" Credentials had {pattern.lifetime_s:,.0f} s left when they were returned."
    if judged.slow:
        text += (
            f" {plural(judged.slow_calls, 'call')} took {seconds_text(DEFAULT.slow_call_s)} or more or "
            "had no response."
        )
    return text


def _case(facts: Facts, limits: Thresholds, judged: Judged) -> MetadataBurst:
    use, pattern = judged.use, judged.pattern
    kinds, counts = np.unique(use.calls.kinds, return_counts=True)
    with_calls = int(np.count_nonzero(use.calls_in))
    inside = int(np.count_nonzero(use.inside_any))
    minutes = max(pattern.span_s, 1.0) / 60
    answered = pattern.call_ms or (None, None)
    asked, replies = call_frames(facts.captures, facts.exchanges, use.calls.exchange)
    ends = endpoints_of(facts.exchanges, use.calls.exchange)
    return MetadataBurst(
        severity=_severity(judged, limits),
        confidence=_confidence(judged),
        summary=_summary(judged),
        count=len(use.calls),
        first_ns=int(use.calls.start_ns[0]),
        last_ns=int(use.calls.start_ns[-1]),
        time_lost_s=_time_lost_s(judged),
        flows=tuple(Flow("tcp", use.address, end_of(end)) for end in ends),
        evidence=tuple(frame_evidence([*asked, *replies], "metadata calls and their responses")),
        calls_by_path_kind=dict(zip(kinds.tolist(), counts.tolist(), strict=True)),
        served_requests=len(use.served),
        served_requests_with_calls=with_calls,
        calls_per_request=round(inside / with_calls, 4) if with_calls else 0.0,
        metadata_time_s=round(float(use.metadata_ns.sum()) / 1e9, 6),
        share_of_service_time_ratio=round(judged.shares[0], 4),
        share_of_service_time_p95_ratio=round(judged.shares[1], 4),
        credential_lifetime_s=_rounded(pattern.lifetime_s),
        credential_least_left_s=_rounded(pattern.least_left_s),
        calls_per_minute=round(len(use.calls) / minutes, 3),
        refreshes=pattern.refreshes,
        refreshes_per_minute=round(pattern.refreshes / minutes, 3),
        refreshes_needed_per_minute=round(60 / pattern.lifetime_s, 4) if pattern.lifetime_s else None,
        refreshes_while_valid=pattern.still_valid,
        requests_refreshing=pattern.requests_refreshing,
        chance_p_value=float(f"{pattern.chance_p:.3g}"),
        sdk=pattern.sdk.label if pattern.sdk else None,
        sdk_refresh_window_s=pattern.sdk.window_s if pattern.sdk else None,
        storm_share_ratio=_storm_share(pattern),
        user_agent=pattern.user_agent or None,
        call_median_ms=answered[0],
        call_p95_ms=answered[1],
        slow_calls=judged.slow_calls,
        unanswered=pattern.silent,
        failed=pattern.failed,
        retries=pattern.retries,
        token_puts=int(np.count_nonzero(use.calls.kinds == "token")),
    )


def _present(facts: Facts, limits: Thresholds, judged: Judged, case: MetadataBurst) -> FindingPart:
    use = judged.use
    return present_case(
        case,
        _title(judged),
        events=list_events(facts, use, limits.rows_most),
        marks=draw_brackets(facts, use, limits.rows_most) if judged.notable else [],
        tables=[
            request_table(facts, use, limits.rows_most),
            call_table(facts, use, limits.rows_most),
        ],
    )


def _storm_share(pattern: Pattern) -> float | None:
    """Part of the time in which every use refreshes, by the SDK's window and what credentials have left when they are
    handed out: (window - lead) / (lifetime - lead), `lead` the least that was left; all of it where they never have
    more than the window. Expiration has whole seconds."""
    window = pattern.sdk.window_s if pattern.sdk else None
    if window is None or pattern.lifetime_s is None or pattern.least_left_s is None:
        return None
    if pattern.lifetime_s <= window + 2:
        return 1.0
    lead = pattern.least_left_s
    return 0.0 if lead >= window else round((window - lead) / (pattern.lifetime_s - lead), 4)


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)
