"""Responses to token requests (IMDSv2) do not reach the pod: their hop limit is 1.

AWS sends the answer to ``PUT /latest/api/token`` with the IP TTL that the instance's options set, 1 by default; from
a container it needs 2, for the node forwards it. The handshake works, the request is acknowledged, and the SDK waits:
botocore 1 s, AWS SDK for Java 1.x 2 s, AWS SDK for Go 1.x about 20 s, before it continues without a token."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backend.forensics.addresses import address_text
from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.metadata_signs import (
    MetadataCase,
    notable_cases,
    one_request,
    server_rival,
    unanswered,
)
from backend.forensics.diagnosis.shared_remedies import credentials_of_their_own
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.requests.metadata_calls import waits_until
from backend.forensics.findings import frame_evidence, plural, seconds_text
from backend.forensics.report import MissingPart, RemedyPart, RivalPart

CAUSE = "metadata-hop-limit"
TITLE = "IMDSv2 responses dropped by the hop limit"
ALTERNATIVES: Final = (
    Alternative(
        "A slow metadata service", "answers come, though late; here those to the token call never do"
    ),
    Alternative(
        "A firewall or policy against 169.254.169.254", "version 1 calls of the same pod are unanswered, too"
    ),
)
PRIOR = -2.0
REFUTES = -6.0
FALLBACK_NS = 30_000_000_000
"""The longest wait of an SDK before it asks without a token (AWS SDK for Go 1.x: about 20 s)."""

OPTIONS = "aws ec2 describe-instances --query 'Reservations[].Instances[].[InstanceId,MetadataOptions]'"
_TIME_EXCEEDED = ((4, 11, 0), (6, 3, 0))
_ICMP_COLUMNS = (
    "frame", "ip_version", "type", "code", "quoted_source_high", "quoted_source_low", "quoted_destination_high",
    "quoted_destination_low",
)  # fmt: skip
REFERENCES = (
    "AWS: instance metadata options, HttpPutResponseHopLimit; 2 is advised where containers use it",
    "aws-sdk-java issue 2792 (2 s), aws-sdk-go issues 2972 and 2980 (20 s), aws-sdk-ruby issue 2177",
    "botocore: metadata_service_timeout is 1 s, metadata_service_num_attempts is 1",
)
MISSING = (
    MissingPart(what="The hop limit of the instance", command=OPTIONS),
    MissingPart(
        what=(
            "A capture at the node's uplink at the same time: a response with TTL 1 there and none at the "
            "pod proves it"
        ),
        command="tcpdump -i any -v -s 0 -w token.pcap 'host 169.254.169.254'",
    ),
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per caller with a token request that had no answer."""
    return [_hypothesis(case) for case in notable_cases(facts, findings) if _lost(case).any()]


def _puts(case: MetadataCase) -> NDArray[np.bool_]:
    return np.asarray(case.use.calls.kinds == "token", np.bool_)


def _lost(case: MetadataCase) -> NDArray[np.bool_]:
    return _puts(case) & unanswered(case.use)


def _waited_s(case: MetadataCase) -> float:
    lost = _lost(case)
    return float((waits_until(case.use.calls) - case.use.calls.start_ns)[lost].sum()) / 1e9


def _hypothesis(case: MetadataCase) -> Hypothesis:
    unheard = bool((_lost(case) & case.use.calls.unheard).any())
    others, expired = _others(case), _expired(case)
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="burst",
        statement=(
            f"{int(_lost(case).sum()):,} of {plural(int(_puts(case).sum()), 'token request')} by {case.use.address} "
            f"had no response: {seconds_text(_waited_s(case))} were lost in timeouts."
        ),
        prior=PRIOR,
        steps=tuple(one_request(case)),
        weighed=(*_silence(case), *others, *_outside(case), *expired, *_fallback(case)),
        both_sides=unheard or bool(expired),
        independent=bool(expired),
        signs=int(unheard) + int(bool(expired)) + int(any(p.weight > 0 for p in others)),
        findings=(case.finding.id,),
        time_lost_s=_waited_s(case),
        rivals=(_slow_rival(case), _firewall_rival(case), server_rival(case)),
        missing=MISSING,
        remedies=_remedies(),
        references=REFERENCES,
        refutation="it would be refuted by a token request with a response at the pod",
        figures=(
            ("time lost", seconds_text(_waited_s(case))),
            ("unanswered", f"{int(_lost(case).sum()):,} of {int(_puts(case).sum()):,}"),
        ),
    )


def _silence(case: MetadataCase) -> list[Weighed]:
    lost, puts = _lost(case), _puts(case)
    number, answered = int(lost.sum()), int((puts & ~unanswered(case.use)).sum())
    if answered:
        text = f"{answered:,} of {plural(int(puts.sum()), 'token request')} were answered."
        frames = case.frames(puts & ~unanswered(case.use))
        return [Weighed(REFUTES, text, frames, "a hop limit that is too small drops every response")]
    text = f"None of {plural(number, 'token request')} was answered at the pod."
    return [
        Weighed(
            1.8 if number > 1 else 0.8, text, case.frames(lost), "the hop limit affects these responses only"
        )
    ]


def _others(case: MetadataCase) -> list[Weighed]:
    others = ~_puts(case)
    heard = others & (case.use.calls.status > 0) & ~unanswered(case.use)
    if heard.any():
        text = f"{int(heard.sum()):,} calls without PUT were answered."
        return [Weighed(1.2, text, case.frames(heard), "the service and the path to it work")]
    silent = others & unanswered(case.use)
    if silent.any():
        text = f"{int(silent.sum()):,} calls without PUT had no response either."
        return [Weighed(-2.0, text, case.frames(silent), "the hop limit does not affect them")]
    return []


def _outside(case: MetadataCase) -> list[Weighed]:
    unheard = _lost(case) & case.use.calls.unheard
    if not unheard.any():
        return []
    text = f"{plural(int(unheard.sum()), 'response')} reached a vantage point further out, but not the pod's."
    return [Weighed(2.5, text, case.frames(unheard), "the node received it and did not forward it")]


def _expired(case: MetadataCase) -> list[Weighed]:
    """What a node says when it drops an answer whose hop limit is used up: ICMP "time exceeded in transit" (RFC 792,
    RFC 4443 section 3.3), with the answer's header in it."""
    frames = [
        (capture.name, int(row["frame"]))
        for capture in case.facts.captures
        if capture.messages.icmp_errors.rows
        for row in capture.messages.icmp_errors.read(_ICMP_COLUMNS).to_pylist()
        if (row["ip_version"], row["type"], row["code"]) in _TIME_EXCEEDED
        and address_text(row["quoted_destination_high"], row["quoted_destination_low"]) == case.use.address
        and (row["quoted_source_high"], row["quoted_source_low"]) in _asked(case)
    ]
    if not frames:
        return []
    messages = plural(len(frames), "ICMP message")
    text = f"{messages} of a node: the TTL of a response to {case.use.address} expired, and it was dropped."
    return [Weighed(4.0, text, frame_evidence(frames), "reported by the node that dropped it")]


def _asked(case: MetadataCase) -> set[tuple[int, int]]:
    """Addresses of the metadata service that the token requests went to."""
    exchanges = case.facts.exchanges
    called = np.unique(exchanges.called[case.use.calls.exchange[_lost(case)]])
    table = exchanges.addresses
    return {(int(table.high[n]), int(table.low[n])) for n in called.tolist()}


def _fallback(case: MetadataCase) -> list[Weighed]:
    """A call without a token soon after: the SDK goes back to v1."""
    calls, lost = case.use.calls, _lost(case)
    plain = ~_puts(case) & ~unanswered(case.use)
    following = np.searchsorted(calls.start_ns[plain], calls.start_ns[lost], side="right")
    starts = np.append(calls.start_ns[plain], np.iinfo(np.int64).max)
    soon = int(np.count_nonzero(starts[following] - calls.start_ns[lost] <= FALLBACK_NS))
    if not soon:
        return []
    text = (
        f"After {soon:,} of {plural(int(lost.sum()), 'unanswered request')} the SDK called without a token."
    )
    return [Weighed(0.7, text, case.frames(plain), "SDKs fall back to IMDSv1 when no token arrives")]


def _slow_rival(case: MetadataCase) -> RivalPart:
    title = "Slow metadata service"
    others = unanswered(case.use) & ~_puts(case)
    if others.any() or case.pattern.slow:
        because = f"{int(others.sum()):,} other calls without a response, {case.pattern.slow:,} slow ones"
        return RivalPart(
            cause="metadata-slow",
            title=title,
            status="possible",
            because=because,
            command="ethtool -S eth0 | grep linklocal_allowance_exceeded",
        )
    if not (case.use.calls.status > 0).any():
        because = "no call was answered at all: whether the service works is not known"
        command = "curl -m 2 -s -o /dev/null -w '%{http_code}\\n' http://169.254.169.254/latest/meta-data/"
        return RivalPart(
            cause="metadata-slow", title=title, status="cannot-tell", because=because, command=command
        )
    return RivalPart(
        cause="metadata-slow",
        title=title,
        status="ruled-out",
        because="the calls that were answered were fast",
    )


def _firewall_rival(case: MetadataCase) -> RivalPart:
    title = "Dropped by a firewall rule"
    if (case.use.calls.status > 0).any():
        because = "other calls to the same address pass; a rule would have to distinguish PUT from GET"
        return RivalPart(cause="firewall-drop", title=title, status="ruled-out", because=because)
    return RivalPart(
        cause="firewall-drop",
        title=title,
        status="possible",
        because="no call was answered at all",
        command="iptables-save -c | grep 169.254; kubectl get networkpolicy -A",
    )


def _remedies() -> tuple[RemedyPart, ...]:
    proof = "token requests are answered within milliseconds at the pod"
    return (
        RemedyPart(
            what="Set the hop limit of the instance's metadata options to 2 (in its launch template, too)",
            command=(
                "aws ec2 modify-instance-metadata-options --instance-id ID --http-put-response-hop-limit 2 "
                "--http-endpoint enabled"
            ),
            applies_to="the node (EC2 instance)",
            check=OPTIONS,
            proof=proof,
            undo="aws ec2 modify-instance-metadata-options --instance-id ID --http-put-response-hop-limit 1",
            side_effect="every pod can get the node's role: give pods roles of their own and block the rest",
        ),
        credentials_of_their_own(proof="the pod requests no credentials from the metadata service"),
    )
