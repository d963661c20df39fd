"""Metadata calls are no more frequent than caching requires, but slow, throttled or unanswered.

An agent on the node that gets credentials itself, a service that throttles (429, 503), or drops of link-local traffic
at the interface (AWS counts them in linklocal_allowance_exceeded) delay the few calls that a program must make."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from backend.forensics.cases.case import Case
from backend.forensics.connections import NEVER
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.metadata_signs import (
    MetadataCase,
    hop_limit_rival,
    notable_cases,
    one_request,
    server_rival,
    unanswered,
)
from backend.forensics.diagnosis.shared_remedies import credentials_of_their_own
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.requests.metadata_pattern import SLOW_CALL_S
from backend.forensics.findings import plural, seconds_text
from backend.forensics.report import MissingPart, RemedyPart, RivalPart

CAUSE = "metadata-slow"
TITLE = "Slow metadata service"
ALTERNATIVES: Final = (
    Alternative("Credentials refreshed in each request", "each call is quick and there are many"),
    Alternative(
        "Packets-per-second limit of link-local services",
        "linklocal_allowance_exceeded rises, and DNS and time queries are lost as well",
    ),
)
PRIOR = -2.0
"""One of three ways for metadata calls to hurt, and the rarest."""
EXCESS = 3.0
"""Times the refreshes that caching needs: more is a storm, however slow each call is."""
REFUTES = -4.0

REFERENCES = (
    "AWS: linklocal_allowance_exceeded counts packets dropped to DNS, instance metadata and NTP of an interface",
    "botocore: metadata_service_timeout is 1 s, metadata_service_num_attempts is 1",
    "kiam and kube2iam get a role's credentials themselves before they answer the first call for it",
)
MISSING = (
    MissingPart(
        what="Whether the interface drops link-local traffic: the counter before and after",
        command="ethtool -S eth0 | grep linklocal_allowance_exceeded; sleep 60; "
        "ethtool -S eth0 | grep linklocal_allowance_exceeded",
    ),
    MissingPart(
        what="A capture on both sides of the agent: is the agent slow, or the cloud?",
        command="tcpdump -i any -s 0 -w agent.pcap 'host 169.254.169.254 or port 8181 or port 443'",
    ),
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per caller with slow, failed or unanswered calls."""
    cases = notable_cases(facts, findings)
    return [_hypothesis(c) for c in cases if c.pattern.slow + c.pattern.failed + c.pattern.silent]


def _hypothesis(case: MetadataCase) -> Hypothesis:
    pattern = case.pattern
    weighed = (*_slow(case), *_failed(case), *_silent(case), *_storm(case), *_most_are_fast(case))
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="burst",
        statement=_statement(case),
        prior=PRIOR,
        steps=tuple(one_request(case)),
        weighed=weighed,
        both_sides=False,
        independent=False,
        signs=int(pattern.slow > 1) + int(pattern.failed > 1),
        findings=(case.finding.id,),
        time_lost_s=case.finding.time_lost_s if pattern.excess_ratio <= EXCESS else 0.0,
        rivals=(_storm_rival(case), hop_limit_rival(case), server_rival(case)),
        missing=MISSING,
        remedies=_remedies(),
        references=REFERENCES,
        refutation="it would be refuted by calls that are answered within milliseconds",
        figures=_figures(case),
    )


def _answered_s(case: MetadataCase) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    calls = case.use.calls
    return np.where(calls.end_ns == NEVER, 0.0, (calls.end_ns - calls.start_ns) / 1e9)


def _statement(case: MetadataCase) -> str:
    pattern = case.pattern
    worst = seconds_text(float(_answered_s(case).max(initial=0.0)))
    parts = [f"{pattern.slow:,} took 0.5 s or longer (up to {worst})"] if pattern.slow else []
    parts += [f"{pattern.failed:,} failed"] if pattern.failed else []
    parts += [f"{pattern.silent:,} had no response"] if pattern.silent else []
    return f"Of {plural(len(case.use.calls), 'metadata call')} by {case.use.address} {', '.join(parts)}."


def _slow(case: MetadataCase) -> list[Weighed]:
    slow = _answered_s(case) >= SLOW_CALL_S
    number = int(np.count_nonzero(slow))
    if not number:
        return []
    text = f"{number:,} of {plural(len(slow), 'call')} took {seconds_text(SLOW_CALL_S)} or longer."
    reason = "a metadata service answers within milliseconds"
    return [Weighed(2.5 if number > 1 else 0.8, text, case.frames(slow), reason)]


def _failed(case: MetadataCase) -> list[Weighed]:
    status = case.use.calls.status
    failed = (status == 429) | (status >= 500)
    number = int(np.count_nonzero(failed))
    if not number:
        return []
    text = f"{number:,} of {plural(len(failed), 'call')} were answered by 429 or 5xx."
    return [Weighed(1.8 if number > 1 else 0.5, text, case.frames(failed), "the service refuses or fails")]


def _silent(case: MetadataCase) -> list[Weighed]:
    """Silence of all kinds of calls is the service's; of token requests alone it is the hop limit's."""
    silent, puts = unanswered(case.use), case.use.calls.kinds == "token"
    number = int(np.count_nonzero(silent))
    if not number:
        return []
    if (silent & ~puts).any():
        others = silent & ~puts
        text = f"{int(np.count_nonzero(others)):,} calls other than for a token had no response."
        return [Weighed(1.2, text, case.frames(others), "the service or the path to it loses calls")]
    text = f"All {plural(number, 'call')} without a response ask for a token; other calls were answered."
    return [Weighed(REFUTES, text, case.frames(silent), "a slow service is slow for every kind of call")]


def _storm(case: MetadataCase) -> list[Weighed]:
    pattern = case.pattern
    if not pattern.refreshes:
        return []
    text = (
        f"{plural(pattern.refreshes, 'call')} for credentials in {pattern.span_s:,.1f} s, "
        f"where caching needs {pattern.refreshes_needed:,.1f}."
    )
    frames = case.frames(case.use.calls.kinds == "credentials")
    if pattern.excess_ratio > EXCESS:
        return [Weighed(-1.5, text, frames, "cached credentials need no call, slow or not")]
    return [Weighed(0.5, text, frames, "the calls are those that caching needs")]


def _most_are_fast(case: MetadataCase) -> list[Weighed]:
    answered = _answered_s(case)
    fast = (answered > 0) & (answered < SLOW_CALL_S)
    slow = int(np.count_nonzero(answered >= SLOW_CALL_S))
    if np.count_nonzero(fast) < 20 * max(1, slow + case.pattern.failed):
        return []
    text = f"{int(np.count_nonzero(fast)):,} calls were answered promptly, {slow:,} were slow."
    return [Weighed(-1.0, text, case.frames(fast), "an occasionally slow service is not the main delay")]


def _storm_rival(case: MetadataCase) -> RivalPart:
    pattern, title = case.pattern, "Credentials refreshed on every request (refresh storm)"
    if pattern.excess_ratio > EXCESS:
        because = f"{pattern.refreshes:,} refreshes where {pattern.refreshes_needed:,.1f} are enough"
        return RivalPart(cause="credential-refresh-storm", title=title, status="possible", because=because)
    because = f"no more credential refreshes than caching needs ({pattern.refreshes:,})"
    return RivalPart(cause="credential-refresh-storm", title=title, status="ruled-out", because=because)


def _figures(case: MetadataCase) -> tuple[tuple[str, str], ...]:
    worst = float(_answered_s(case).max(initial=0.0))
    figures = [("time lost", seconds_text(case.finding.time_lost_s)), ("slowest call", seconds_text(worst))]
    if case.pattern.call_ms:
        figures.append(("median call", f"{case.pattern.call_ms[0]:,.1f} ms"))
    return tuple(figures)


def _remedies() -> tuple[RemedyPart, ...]:
    proof = "metadata calls are answered within milliseconds in a capture under the same load"
    return (
        RemedyPart(
            what="Give the agent on the node more CPU, and enable prefetching of credentials (kiam)",
            applies_to="kiam, kube2iam or another agent",
            check="kubectl top pod -A | grep -E 'kiam|kube2iam'; kubectl describe ds -A | grep -A3 -iE 'limits'",
            proof=proof,
            undo="Restore the previous limits",
            side_effect="less CPU for other pods of the node",
        ),
        credentials_of_their_own(proof=proof),
        RemedyPart(
            what="Raise timeout and retries of the SDK, so that a slow call does not fail the request",
            command="kubectl set env deploy/NAME AWS_METADATA_SERVICE_TIMEOUT=5 AWS_METADATA_SERVICE_NUM_ATTEMPTS=3",
            applies_to="botocore and boto3",
            check="kubectl set env deploy/NAME --list | grep METADATA",
            proof="no request fails for lack of credentials",
            undo="kubectl set env deploy/NAME AWS_METADATA_SERVICE_TIMEOUT- AWS_METADATA_SERVICE_NUM_ATTEMPTS-",
            side_effect="requests that failed before now wait longer",
        ),
    )
