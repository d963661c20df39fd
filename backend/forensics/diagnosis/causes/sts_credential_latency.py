"""Each request waits for a token service: credentials are not cached for their session, or the service is far away.

AssumeRoleWithWebIdentity (IAM roles for service accounts), workload identity federation and Entra ID answer over TLS.
The handshakes of TCP and TLS and the request cost a round trip each, so a region across an ocean takes half a second.
SDKs keep the credentials for their session (an hour by default); a client that is made per request keeps nothing. Old
SDKs ask the global endpoint, which answers opt-in regions from us-east-1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from backend.forensics.cases.case import Case
from backend.forensics.cases.token_service_calls import TokenServiceCalls
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import TIME_LOST, Hypothesis, Weighed
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.requests.token_calls import GLOBAL_ENDPOINT, TokenUse
from backend.forensics.findings import frame_evidence, plural, rfc3339, seconds_text
from backend.forensics.report import ClaimPart, EvidencePart, MissingPart, RemedyPart, RivalPart
from backend.forensics.wording import p_text, percent

CAUSE = "sts-credential-latency"
TITLE = "Credentials from a token service (STS) in each request"
ALTERNATIVES: Final = (
    Alternative("A slow application", "requests without a call are as slow as those with one"),
    Alternative("A background refresh", "calls come on a timer of their own and meet requests by chance"),
)
PRIOR = -2.0
"""Calls to a token service are common, once in a session, and then harmless."""
FAR_MS = 50.0
"""A round trip that leaves the region: within one it is a few milliseconds."""
SLOWER_TIMES = 3.0
"""Requests with a call against those without, in the median."""
FRAMES_SHOWN = 60

REFERENCES = (
    "AWS STS, AssumeRoleWithWebIdentity: sessions of 15 min to 12 h, one hour by default",
    "AWS SDKs and Tools Reference: STS regional endpoints (the global one answers opt-in regions from us-east-1)",
    "boto3 issue 4583: the default became regional in 1.40.0",
    "botocore issue 2139 and aws-sdk-go issue 4385: credentials asked for in requests",
    "RFC 8446 section 2: one round trip for the TLS 1.3 handshake, two for TLS 1.2",
)
_MISSING = MissingPart(
    what="Which client asks, and for how long its sessions are: the SDK's own log of one request",
    command="kubectl logs -n NAMESPACE deploy/NAME | grep -iE 'credential|assume'",
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per caller whose requests wait for calls."""
    uses = {use.address: use for use in facts.token_uses}
    cases = [case for case in findings if isinstance(case, TokenServiceCalls) and case.is_harmful]
    return [_hypothesis(facts, case, uses[str(case.flows[0].source)]) for case in cases]


def _hypothesis(facts: Facts, case: TokenServiceCalls, use: TokenUse) -> Hypothesis:
    frames = _frames(facts, use, np.ones(len(use.calls), np.bool_))
    weighed = (
        *_inside(case, frames),
        *_repeated(case, use, frames),
        *_compared(case, frames),
        *_far(case, frames),
    )
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="burst",
        statement=_statement(case),
        prior=PRIOR,
        steps=(_one_request(facts, use),),
        weighed=weighed,
        both_sides=True,
        independent=False,
        signs=len(weighed) - 1,
        findings=(case.id,),
        time_lost_s=case.time_lost_s,
        rivals=(_server_rival(case), _METADATA_RIVAL),
        missing=(_MISSING,),
        remedies=_remedies(case),
        references=REFERENCES,
        refutation="none found; it would be refuted by calls on a timer of their own, or slow requests without one",
        figures=_figures(case),
    )


def _frames(
    facts: Facts, use: TokenUse, which: np.ndarray[tuple[int], np.dtype[np.bool_]]
) -> list[EvidencePart]:
    calls = use.calls[np.flatnonzero(which)[:FRAMES_SHOWN]]
    inputs = [facts.captures[n].name for n in calls.capture.tolist()]
    return frame_evidence(zip(inputs, calls.frame.tolist(), strict=True), "ClientHellos")


def _statement(case: TokenServiceCalls) -> str:
    took = seconds_text(case.call_median_ms / 1e3)
    return (
        f"{case.served_requests_with_calls:,} of {plural(case.served_requests, 'request')} waited for {case.service}: "
        f"a call takes {took} (median)."
    )


def _one_request(facts: Facts, use: TokenUse) -> ClaimPart:
    """The request in the middle, by what calls took of it."""
    with_calls = np.flatnonzero(use.calls_in)
    at = int(with_calls[np.argsort(use.call_ns[with_calls], kind="stable")[len(with_calls) // 2]])
    mine = np.zeros(len(use.calls), np.bool_)
    mine[use.inside[1][use.inside[0] == at]] = True
    whole_s = int(use.served_end_ns[at] - use.served_start_ns[at]) / 1e9
    text = (
        f"A median request ({rfc3339(int(use.served_start_ns[at]))}): {plural(int(mine.sum()), 'call')} to a token "
        f"service took {seconds_text(int(use.call_ns[at]) / 1e9)} of its {seconds_text(whole_s)}."
    )
    return ClaimPart(role="step", text=text, evidence=_frames(facts, use, mine))


def _inside(case: TokenServiceCalls, frames: list[EvidencePart]) -> list[Weighed]:
    text = (
        f"{case.served_requests_with_calls:,} of {plural(case.served_requests, 'served request')} contained a call "
        f"({p_text(case.chance_p_value)} for calls on a timer of their own)."
    )
    return [Weighed(2.0, text, frames, "calls that follow requests this closely belong to them")]


def _repeated(case: TokenServiceCalls, use: TokenUse, frames: list[EvidencePart]) -> list[Weighed]:
    text = (
        f"{plural(case.count, 'call')} in {use.span_s:,.1f} s, where caching needs {case.calls_needed:,.1f} "
        "(the shortest session is 15 min)."
    )
    return [Weighed(0.5, text, frames, "one call in a session is enough for one process")]


def _compared(case: TokenServiceCalls, frames: list[EvidencePart]) -> list[Weighed]:
    """Requests with a call against those without."""
    with_ms, without_ms = case.request_with_call_median_ms, case.request_without_call_median_ms
    share = f"Calls took {percent(case.share_of_service_time_ratio)} of the request time (median)"
    if without_ms is None:
        weight = 1.0 if case.share_of_service_time_ratio >= 0.5 else 0.3
        return [Weighed(weight, f"{share}.", frames, "what is most of the time is what is waited for")]
    text = f"{share}; requests without a call took {without_ms:,.1f} ms, those with one {with_ms:,.1f} ms (medians)."
    if with_ms >= SLOWER_TIMES * without_ms:
        return [Weighed(1.5, text, frames, "the same server is quick where it has credentials")]
    return [Weighed(-1.5, text, frames, "requests without a call are nearly as slow")]


def _far(case: TokenServiceCalls, frames: list[EvidencePart]) -> list[Weighed]:
    if case.round_trip_median_ms is None or case.round_trip_median_ms < FAR_MS:
        return []
    text = f"A round trip to the token service takes {case.round_trip_median_ms:,.1f} ms (median, SYN to SYN-ACK)."
    return [Weighed(0.5, text, frames, "three round trips at least come before the first credentials")]


def _server_rival(case: TokenServiceCalls) -> RivalPart:
    share, title = case.share_of_service_time_ratio, "Slow service"
    because = f"calls take {percent(share)} of the request time (median)"
    if share >= 0.5:
        return RivalPart(cause="slow-server", title=title, status="ruled-out", because=because)
    command = "curl -w '%{time_starttransfer}\\n' -o /dev/null -s URL"
    because += "; the rest is its own"
    return RivalPart(cause="slow-server", title=title, status="cannot-tell", because=because, command=command)


_METADATA_RIVAL = RivalPart(
    cause="credential-refresh-storm",
    title="Credentials refreshed on every request (refresh storm)",
    status="ruled-out",
    because="these calls go to the token service itself, by the name in their ClientHello",
)


def _figures(case: TokenServiceCalls) -> tuple[tuple[str, str], ...]:
    figures = [
        (TIME_LOST, seconds_text(case.time_lost_s)),
        ("requests affected", f"{case.served_requests_with_calls:,} of {case.served_requests:,}"),
        ("share of request time", percent(case.share_of_service_time_ratio)),
        ("median call", f"{case.call_median_ms:,.1f} ms"),
    ]
    if case.round_trip_median_ms is not None:
        figures.append(("round trip", f"{case.round_trip_median_ms:,.1f} ms"))
    return tuple(figures)


_PROOF = "a capture under the same load has one call to the token service per process and session"


def _remedies(case: TokenServiceCalls) -> tuple[RemedyPart, ...]:
    kept = RemedyPart(
        what="Make the SDK's client or credentials provider once for the process, and share it between requests",
        applies_to="the application's code",
        check="grep -rnE 'boto3.client|NewSession|DefaultAzureCredential|google.auth.default' --include='*' .",
        proof=_PROOF,
        undo="Revert the change",
        side_effect="a process keeps its role until its session ends",
    )
    if not case.service.startswith("AWS"):
        return (kept,)
    regional = RemedyPart(
        what="Ask the regional STS endpoint",
        command="kubectl set env -n NAMESPACE deploy/NAME AWS_STS_REGIONAL_ENDPOINTS=regional",
        applies_to="AWS SDKs older than their regional default",
        versions="regional by default since boto3 1.40.0 and AWS CLI 1.42.0 (2025-07-31)",
        check="kubectl get deploy -n NAMESPACE NAME -o yaml | grep STS",
        proof="the ClientHello names sts.REGION.amazonaws.com, and its SYN-ACK comes within milliseconds",
        undo="kubectl set env -n NAMESPACE deploy/NAME AWS_STS_REGIONAL_ENDPOINTS-",
        side_effect="policies and firewalls that allow sts.amazonaws.com alone must allow the regional name",
    )
    return (kept, regional) if case.service != GLOBAL_ENDPOINT else (regional, kept)
