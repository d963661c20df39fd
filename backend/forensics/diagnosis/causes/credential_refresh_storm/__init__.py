"""Credentials are refreshed on (nearly) every request: their lifetime is no longer than the SDK's refresh window.

An SDK fetches new credentials when those it holds have less left than its window (15 min in AWS SDK for Java 1.x and
botocore). An issuer that hands out credentials with no more than that (kiam by default: 15 min) causes a refresh on
every use; each request then waits for one or two metadata calls (Adevinta, 2019)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.causes.credential_refresh_storm.evidence import weigh_evidence
from backend.forensics.diagnosis.causes.credential_refresh_storm.remedies import list_remedies
from backend.forensics.diagnosis.contract import Hypothesis
from backend.forensics.diagnosis.metadata_signs import (
    WHOLE_PACKETS,
    MetadataCase,
    hop_limit_rival,
    notable_cases,
    one_request,
    server_rival,
    slow_rival,
)
from backend.forensics.evidence.facts import Facts
from backend.forensics.findings import plural, seconds_text
from backend.forensics.report import MissingPart
from backend.forensics.wording import percent

CAUSE = "credential-refresh-storm"
TITLE = "Credentials refreshed on every request (refresh storm)"
ALTERNATIVES: Final = (
    Alternative(
        "A slow metadata service",
        "few calls that take long each; here many quick ones, several in each request",
    ),
    Alternative(
        "Metadata responses dropped by the hop limit",
        "the token call gets no answer, and the client falls back after its timeout",
    ),
)
PRIOR = -2.0
"""Metadata calls are common and nearly always harmless."""
LEAST_REPEATS = 3
"""Fewer are a first load or two, whatever else is wrong with them (calls for credentials after the first)."""

REFERENCES = (
    "Adevinta, Kubernetes made my latency 10x higher (2019): kiam's 15 min sessions and the SDK's 15 min threshold",
    "aws-sdk-java: com.amazonaws.auth.BaseCredentialsFetcher, issues 1893 and 1921",
    "botocore: credentials.py, RefreshableCredentials",
    "kiam: --session-duration and --session-refresh (since 2.7, pull request 41)",
)
MISSING = (
    MissingPart(
        what="Session duration and refresh lead time of the agent",
        command="kubectl get deploy,ds -A -o yaml | grep -E 'session-(duration|refresh)'",
    ),
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per caller that fetched credentials more often than a first load would."""
    cases = notable_cases(facts, findings)
    return [_hypothesis(case) for case in cases if case.pattern.refreshes - 1 >= LEAST_REPEATS]


def _hypothesis(case: MetadataCase) -> Hypothesis:
    pattern = case.pattern
    weighed = weigh_evidence(case)
    refreshing, valid = pattern.requests_refreshing > 1, pattern.still_valid > 0
    missing = MISSING if pattern.lifetime_s is not None else (WHOLE_PACKETS, *MISSING)
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="burst",
        statement=_statement(case),
        prior=PRIOR,
        steps=tuple(one_request(case)),
        weighed=tuple(weighed),
        both_sides=refreshing,
        independent=False,
        signs=int(refreshing) + int(valid),
        findings=(case.finding.id,),
        time_lost_s=case.finding.time_lost_s,
        rivals=(slow_rival(case), hop_limit_rival(case), server_rival(case)),
        missing=missing,
        remedies=list_remedies(case),
        references=REFERENCES,
        refutation="it would be refuted by calls on a timer of their own or after expiry",
        figures=_figures(case),
    )


def _statement(case: MetadataCase) -> str:
    pattern, served = case.pattern, len(case.use.served)
    if pattern.requests_refreshing > 1:
        who = (
            f"{pattern.requests_refreshing:,} of {plural(served, 'request')} waited for a credential refresh"
        )
    else:
        who = f"{case.use.address} refreshed credentials {pattern.refreshes:,} times"
    if pattern.lifetime_s is None:
        return f"{who}, where one refresh per lifetime is enough."
    window = pattern.sdk.window_s if pattern.sdk else None
    left = f"{pattern.lifetime_s:,.0f} s"
    if window and pattern.least_left_s is not None and pattern.least_left_s <= window:
        return f"{who}: the credentials had {left} left, and the SDK refreshes below {window:,} s."
    return f"{who} although the credentials had {left} left."


def _figures(case: MetadataCase) -> tuple[tuple[str, str], ...]:
    pattern, use = case.pattern, case.use
    figures = [("time lost", seconds_text(case.finding.time_lost_s))]
    if pattern.requests_refreshing:
        figures.append(("requests affected", f"{pattern.requests_refreshing:,} of {len(use.served):,}"))
        figures.append(("share of service time", percent(case.share)))
    if pattern.lifetime_s is not None:
        figures.append(("credential lifetime", f"{pattern.lifetime_s:,.0f} s"))
    minutes = max(pattern.span_s, 1.0) / 60
    figures.append(("refreshes", f"{pattern.refreshes / minutes:,.0f} a minute"))
    return tuple(figures)
