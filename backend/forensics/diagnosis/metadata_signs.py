"""What the causes of metadata bursts have in common: whom they concern, frames of some calls, shared sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backend.forensics.cases.case import Case
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.requests.metadata_calls import MetadataUse, call_frames
from backend.forensics.evidence.requests.metadata_pattern import Pattern
from backend.forensics.findings import frame_evidence, plural, rfc3339, seconds_text
from backend.forensics.report import ClaimPart, EvidencePart, MissingPart, RivalPart
from backend.forensics.wording import percent

KIND = "metadata-burst"
SIGNIFICANT_P = 0.001
"""Calls that meet served requests like this by chance less often than once in a thousand captures."""
FRAMES_SHOWN = 60

WHOLE_PACKETS = MissingPart(
    what="A capture with full packets: Expiration in the responses shows how long the credentials are valid",
    command="tcpdump -i any -s 0 -w metadata.pcap 'host 169.254.169.254 or net 169.254.170.0/24 or port 8181'",
)


@dataclass(frozen=True)
class MetadataCase:
    """A caller whose calls are a notable finding."""

    facts: Facts
    finding: Case
    use: MetadataUse
    pattern: Pattern

    @property
    def share(self) -> float:
        """Of the service time of requests with calls, in the middle."""
        with_calls = np.flatnonzero(self.use.calls_in)
        service_ns = (self.use.served_end_ns - self.use.served_start_ns)[with_calls]
        shares = self.use.metadata_ns[with_calls] / np.maximum(service_ns, 1)
        return float(np.median(shares)) if len(shares) else 0.0

    def frames(self, which: NDArray[np.bool_], note: str = "") -> list[EvidencePart]:
        """Frames of the first of these calls and of their answers."""
        rows = self.use.calls.exchange[which][: FRAMES_SHOWN // 2]
        asked, answered = call_frames(self.facts.captures, self.facts.exchanges, rows)
        return frame_evidence([*asked, *answered], note)


def notable_cases(facts: Facts, findings: Sequence[Case]) -> list[MetadataCase]:
    """Callers of notable findings, in the order of the findings."""
    by_address = (
        {
            use.address: (use, pattern)
            for use, pattern in zip(facts.metadata_uses, facts.metadata_patterns, strict=True)
        }
        if any(f.kind == KIND for f in findings)
        else {}
    )
    return [
        MetadataCase(facts, f, *by_address[str(f.flows[0].source)])
        for f in findings
        if f.kind == KIND and f.severity != "info"
    ]


def unanswered(use: MetadataUse) -> NDArray[np.bool_]:
    """Calls whose answer did not reach the caller."""
    return use.calls.silent | use.calls.unheard


def one_request(case: MetadataCase) -> list[ClaimPart]:
    """How a request in the middle went: what of it the calls took."""
    use = case.use
    with_calls = np.flatnonzero(use.calls_in)
    if not len(with_calls):
        return []
    taken = use.metadata_ns[with_calls]
    at = int(with_calls[np.argsort(taken, kind="stable")[len(taken) // 2]])
    number = int(use.calls_in[at])
    metadata_s = int(use.metadata_ns[at]) / 1e9
    service_s = int(use.served_end_ns[at] - use.served_start_ns[at]) / 1e9
    mine = np.zeros(len(use.calls), np.bool_)
    mine[use.inside[1][use.inside[0] == at]] = True
    text = (
        f"A median request ({rfc3339(int(use.served_start_ns[at]))}): {plural(number, 'metadata call')} took "
        f"{seconds_text(metadata_s)} of its {seconds_text(service_s)}."
    )
    return [ClaimPart(role="step", text=text, evidence=case.frames(mine))]


def slow_rival(case: MetadataCase) -> RivalPart:
    """Whether slow answers alone explain it."""
    pattern = case.pattern
    middle = f"{pattern.call_ms[0]:,.0f} ms" if pattern.call_ms else "not known"
    if not pattern.slow and not pattern.failed:
        because = f"no call took 0.5 s or longer (median {middle}): too many calls, not slow ones"
    else:
        because = (
            f"{pattern.slow:,} slow and {pattern.failed:,} failed calls (median {middle}) add to the "
            "repeated calls"
        )
    return RivalPart(
        cause="metadata-slow", title="Slow metadata service", status="ruled-out", because=because
    )


def hop_limit_rival(case: MetadataCase) -> RivalPart:
    """Whether token requests went unanswered."""
    puts = case.use.calls.kinds == "token"
    lost = int(np.count_nonzero(puts & unanswered(case.use)))
    title = "IMDSv2 responses dropped by the hop limit"
    if lost:
        because = f"{lost:,} of {plural(int(puts.sum()), 'token request')} had no response"
        command = "aws ec2 describe-instances --query 'Reservations[].Instances[].MetadataOptions'"
        return RivalPart(
            cause="metadata-hop-limit", title=title, status="possible", because=because, command=command
        )
    because = "every token request was answered" if puts.any() else "no token (IMDSv2) was requested"
    return RivalPart(cause="metadata-hop-limit", title=title, status="ruled-out", because=because)


def server_rival(case: MetadataCase) -> RivalPart:
    """Whether the service itself is what is slow."""
    share = case.share
    if not len(case.use.served):
        because, status = "no served request was captured", "cannot-tell"
    elif share >= 0.5:
        because, status = f"metadata calls take {percent(share)} of the service time (median)", "ruled-out"
    else:
        because, status = (
            f"metadata calls take {percent(share)} of the service time; the rest is its own",
            "cannot-tell",
        )
    return RivalPart(
        cause="slow-server",
        title="Slow service",
        status=status,  # type: ignore[arg-type]
        because=because,
        command=None if status == "ruled-out" else "curl -w '%{time_starttransfer}\\n' -o /dev/null -s URL",
    )
