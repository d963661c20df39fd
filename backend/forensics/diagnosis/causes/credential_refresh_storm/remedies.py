"""Remedies of a storm, the one that fits first."""

from __future__ import annotations

from backend.forensics.diagnosis.metadata_signs import MetadataCase
from backend.forensics.diagnosis.shared_remedies import credentials_of_their_own
from backend.forensics.report import RemedyPart

PROOF = (
    "a capture under the same load shows one refresh a lifetime, and requests faster by what the calls took"
)
KIAM = RemedyPart(
    condition="kiam is used",
    what=(
        "Set longer sessions and an earlier renewal by the agent. The part of the time in which every request "
        "refreshes is (window - lead) / (lifetime - lead): 15m/5m 100 %, 30m/5m 40 %, 60m/5m 18 %, 60m/20m none"
    ),
    command="kiam server --session-duration=60m --session-refresh=20m",
    applies_to="the kiam server's arguments (a lead of 15 min or more covers the SDK's window)",
    check="kubectl get deploy,ds -A -o yaml | grep -E 'session-(duration|refresh)'",
    proof=PROOF,
    undo="remove both arguments (defaults: 15m and 5m)",
    side_effect="credentials outlive a pod for longer; the role's maximum session must allow 60 min",
    versions="both arguments since kiam 2.7; the project was archived in 2023",
)
ISSUER = RemedyPart(
    what=(
        "Issue credentials with more lifetime left than the SDK's window: longer sessions, renewed early."
        " Every request refreshes in (window - lead) / (lifetime - lead) of the time, lead being the least left"
    ),
    applies_to="the agent or task role behind the endpoint that the SDK asks",
    check="the time from the response to its Expiration, in a capture with full packets",
    proof=PROOF,
    undo="Restore the previous session length",
    side_effect="credentials outlive a container for longer",
)
SERVICE_ACCOUNTS = credentials_of_their_own(proof=PROOF)
UPGRADE = RemedyPart(
    what=(
        "Upgrade the SDK: AWS SDK for Java 2.x refreshes instance metadata credentials after half their "
        "lifetime and in the background"
        "; current botocore extends a near expiry of instance metadata credentials"
    ),
    applies_to="the service",
    check="the user agent of the metadata calls",
    proof=PROOF,
    undo="Restore the previous version",
    side_effect="AWS SDK for Java 2.x has other package names; container credentials keep a window of 15 min",
    versions="AWS SDK for Java 1.x and botocore renew below 15 min",
)
SHARE = RemedyPart(
    what="Make one credentials provider (one client, one session) per process and share it",
    applies_to="the service's code",
    check="grep -rnE 'ProviderChain\\(|boto3\\.(client|Session)\\(|new .*Client\\(' SOURCE  # in handlers?",
    proof=PROOF,
    undo="none needed",
    side_effect="a provider that is shared must be safe for threads, as those of the SDKs are",
)


def list_remedies(case: MetadataCase) -> tuple[RemedyPart, ...]:
    """A provider per request is what a lifetime beyond every window points at; else the issuer comes first: kiam's kind
    answers at the instance's paths, where a role is asked for before its credentials."""
    pattern = case.pattern
    window = pattern.sdk.window_s if pattern.sdk and pattern.sdk.window_s is not None else 900
    issuer = KIAM if "role" in case.use.calls.kind else ISSUER
    if pattern.lifetime_s is not None and pattern.lifetime_s > window + 60:
        return SHARE, UPGRADE, issuer, SERVICE_ACCOUNTS
    return issuer, SERVICE_ACCOUNTS, UPGRADE, SHARE
