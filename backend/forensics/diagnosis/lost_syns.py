"""What the causes of lost SYNs have in common: whom they concern, how one instance went, what is asked for next."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.contract import TIME_LOST, Weighed
from backend.forensics.diagnosis.given_listings import ListingRequest, ServerCaptureRequest
from backend.forensics.diagnosis.named_findings import NamedFindings
from backend.forensics.evidence.absence.listed_life import ListedLife, listed_life
from backend.forensics.evidence.absence.losses import Loss, Losses, LossKind
from backend.forensics.evidence.attempts.retried import RetriedAttempt
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kernel.rule_matches import Hop
from backend.forensics.evidence.losses.destinations import Destination
from backend.forensics.findings import frame_evidence, plural, seconds_text
from backend.forensics.report import ClaimPart, EvidencePart
from backend.forensics.report_impact import ImpactPart
from backend.forensics.wording import series_text

REFUTES = -6.0
"""Outweighs all that can speak for any of these causes together: one of these alone leaves less than even odds."""
HOPS_OF = 100
"""Attempts: enough to meet every source that a rule can name."""
HURT_LONGEST = 80
"""Characters: a statement has 160."""
LOSSY_CAPTURE = -1.5
"""Absence is what these causes rest on, and a capture that lost packets shows absence everywhere."""

CAPTURE_BOTH_SIDES = ServerCaptureRequest(
    what="A capture at the server at the same time: it shows whether the SYN arrived and was answered",
    command="tcpdump -i any -y LINUX_SLL2 -s 96 -w server.pcap 'tcp[tcpflags] & (tcp-syn|tcp-rst) != 0 or icmp'",
)
LISTEN_COUNTERS = ListingRequest(
    what="The server's listen counters before and after, and the queue against its backlog",
    command="nstat -az TcpExtListenOverflows TcpExtListenDrops; ss -lnt; sleep 60; "
    "nstat -az TcpExtListenOverflows TcpExtListenDrops",
    at="server",
)
NEIGHBOUR = ListingRequest(
    what="Whether the host is up, checked from its own network segment",
    command="ip neigh show; ping -c 3 HOST",
    at="node",
)
SOURCE_COUNTERS = ListingRequest(
    what="Whether the server's kernel drops the packets of this source: wrong checksums, reverse-path filter",
    command="nstat -az TcpInCsumErrors TcpExtIPReversePathFilter; sleep 60; "
    "nstat -az TcpInCsumErrors TcpExtIPReversePathFilter",
    at="server",
)
FILTER_RULES = ListingRequest(
    what="The rules that match packets to this port, with their counters",
    command="iptables-save -c; nft list ruleset; kubectl get networkpolicy -A",
    at="every",
)


@dataclass(frozen=True)
class Waits:
    """How long the attempts of a destination took."""

    lost_s: float
    worst_s: float
    usual_s: float | None


def waits_of(facts: Facts, destination: Destination) -> Waits:
    """Observed waits; an attempt that never opened waited until its last SYN at least."""
    seen = destination.attempts.waited_s
    server = destination.attempts[0].server
    usual_s = facts.baseline_connect_s((server.high, server.low, server.port))
    return Waits(facts.delays.lost_by(destination.links), float(seen.max()), usual_s)


def figures_of(facts: Facts, destination: Destination) -> tuple[tuple[str, str], ...]:
    """The verdict strip: time lost, worst, usual, to whom."""
    waits = waits_of(facts, destination)
    figures = [(TIME_LOST, seconds_text(waits.lost_s)), ("max", seconds_text(waits.worst_s))]
    if waits.usual_s is not None:
        figures.append(("baseline", seconds_text(waits.usual_s)))
    return (*figures, ("to", f"{destination.attempts[0].server}{_more(destination)}"))


def impact_of(facts: Facts, destination: Destination) -> ImpactPart:
    """The same as numbers."""
    waits = waits_of(facts, destination)
    return ImpactPart(
        unit="connections",
        destination=str(destination.attempts[0].server),
        other_destinations=destination.others,
        affected=len(destination.attempts),
        total=max(destination.tried, len(destination.attempts)),
        longest_s=waits.worst_s,
        baseline_s=waits.usual_s,
    )


def hurt(destination: Destination) -> str:
    """``3 of 40 new connections to 192.0.2.1:80``."""
    target = destination.attempts[0].server
    total = max(destination.tried, len(destination.attempts))
    said = (
        f"{len(destination.attempts):,} of {plural(total, 'new connection')} to {target}{_more(destination)}"
    )
    real = (
        f" (at {destination.endpoint})" if destination.endpoint != target and not destination.others else ""
    )
    return f"{said}{real}" if len(said) + len(real) <= HURT_LONGEST else said


def _more(destination: Destination) -> str:
    return f" and {plural(destination.others, 'other destination')}" if destination.others else ""


def about(findings: Sequence[Case], destination: Destination) -> tuple[str, ...]:
    """Ids of the findings on repeated SYNs to this destination."""
    known = NamedFindings.of(findings)
    return tuple(f.id for f in known.to(known.named_by(destination.attempts)))


def about_servers(findings: Sequence[Case], servers: frozenset[str]) -> tuple[str, ...]:
    """Ids of the findings on one of these addresses and ports."""
    return tuple(f.id for f in NamedFindings.of(findings).to(servers))


def one_instance(destination: Destination) -> list[ClaimPart]:
    """The attempt that waited longest: its SYNs, and what came of it."""
    attempts = destination.attempts
    starts = attempts.retried.start_ns[attempts.positions]
    longest = np.flatnonzero(attempts.span_s == attempts.span_s.max())
    attempt = attempts[int(longest[np.argmin(starts[longest])])]
    sent = attempt.transmissions
    first = frame_evidence((s.place.input, s.frame) for s in sent[0].sightings)
    seen = series_text(list(dict.fromkeys(f"{s.place.word}" for s in sent[0].sightings)))
    steps = [
        ClaimPart(
            role="step",
            text=f"{attempt.client} sent its SYN to {attempt.server}; captured on {seen}.",
            evidence=first,
        )
    ]
    if len(sent) > 1:
        again = ", ".join(seconds_text((t.time_ns - attempt.start_ns) / 1e9) for t in sent[1:8])
        frames = frame_evidence((s.place.input, s.frame) for t in sent[1:] for s in t.sightings)
        steps.append(ClaimPart(role="step", text=f"It retransmitted the SYN after {again}.", evidence=frames))
    return [*steps, *_outcome(attempt)]


def _outcome(attempt: RetriedAttempt) -> list[ClaimPart]:
    if attempt.connect_delay_s is None or not attempt.answers:
        return []
    frames = frame_evidence((a.place.input, a.frame) for a in attempt.answers)
    after = seconds_text(attempt.connect_delay_s)
    text = f"The SYN-ACK that opened the connection came after {after}."
    if all(a.time_ns <= attempt.last_ns for a in attempt.answers):
        text = f"The client acknowledged after {after}; no SYN-ACK was captured after its last SYN."
    return [ClaimPart(role="step", text=text, evidence=frames)]


def lossy(facts: Facts, destination: Destination) -> list[Weighed]:
    """The piece that a capture with holes adds to every claim of absence."""
    if not facts.quality.lossy:
        return []
    text = (
        f"Packets are missing from the capture ({facts.quality.lost_segments:,} ACKs for uncaptured "
        f"data, {facts.quality.dropped or 0:,} reported dropped): absence proves little."
    )
    reason = "an uncaptured packet looks like one that was never sent"
    return [Weighed(LOSSY_CAPTURE, text, frame_evidence(destination.frames()), reason)]


def address_is_twice(facts: Facts, d: Destination) -> bool:
    """Whether two MAC addresses answer for the host that was asked: which of the two was silent can't be known."""
    return any(one.host in d.hosts for one in facts.address_conflicts)


def life_of(facts: Facts, d: Destination) -> ListedLife:
    """What listings show of the host that was asked."""
    first_ns = int(d.attempts.retried.start_ns[d.attempts.positions].min())
    last_ns = int(d.attempts.retried.last_ns[d.attempts.positions].max())
    return listed_life(facts.listed_hosts, d.endpoint, (first_ns, last_ns), d.syns, hops_of(d))


def hops_of(d: Destination) -> list[Hop]:
    """Who asked whom, as vantage points saw the first SYN of some of its attempts."""
    seen = {
        Hop(s.source.address, s.destination.address, s.destination.port)
        for attempt in d.attempts[:HOPS_OF]
        for s in attempt.transmissions[0].sightings
    }
    return sorted(seen, key=lambda hop: (hop.destination, hop.port, hop.source))


def of_kind(destination: Destination, *kinds: LossKind) -> Losses:
    """The losses of these kinds."""
    which = destination.losses.is_kind(*kinds)
    return destination.losses if which.all() else destination.losses.chosen(which)


def loss_evidence(destination: Destination, losses: Iterable[Loss] | None = None) -> list[EvidencePart]:
    """Frames of the lost SYNs, at every vantage point that saw them."""
    return frame_evidence(destination.frames(losses))
