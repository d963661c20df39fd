"""One of several backends behind an address is dead: only a share of new connections stays unanswered.

kube-proxy, IPVS and load balancers choose a backend once for each 5-tuple (conntrack keeps the choice), so that
every SYN of a connection goes to the same one. Where the translation is captured, each backend is an endpoint of its
own and `target-unresponsive` or `firewall-drop` names it; from the client alone only the outcomes differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from backend.forensics.addresses import address_text
from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.given_listings import ListingRequest
from backend.forensics.diagnosis.loss_rivals import list_rivals
from backend.forensics.diagnosis.lost_syns import (
    about,
    figures_of,
    impact_of,
    loss_evidence,
    lossy,
    one_instance,
)
from backend.forensics.dumps import conntrack
from backend.forensics.evidence.attempts.icmp_errors import HOST, NETWORK
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.losses.destinations import Destination
from backend.forensics.evidence.split_outcomes import SplitOutcomes, find_split_outcomes
from backend.forensics.findings import frame_evidence, line_evidence, plural
from backend.forensics.report import EvidencePart, MissingPart, RemedyPart, RivalPart
from backend.forensics.wording import p_text

CAUSE = "dead-backend"
TITLE = "One of several backends does not respond"
ALTERNATIVES: Final = (
    Alternative("Hairpin", "fails only from the node or pod that is itself the endpoint"),
    Alternative(
        "One of several paths is dead",
        "the failed connections leave by one interface or next hop, whatever backend they would reach",
    ),
)
PRIOR = -1.6
PATTERN_CEILING = 0.49
"""A pod that is translated to itself, a dead next hop and a rule at one backend part the outcomes alike: without
another witness it is no more than even odds."""

REFERENCES = (
    "kubernetes.io, Virtual IPs and Service Proxies: a backend is chosen for each connection",
    "RFC 792: ICMP destination unreachable, code 1",
    "net/netfilter/nf_conntrack_core.c: a translation is kept for the packets of its tuple",
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per address whose connections are answered at once or never, in the same time."""
    found = []
    for d in facts.destinations:
        split = find_split_outcomes(facts, d.endpoint) if d.opened and not d.silent and not d.others else None
        if split is not None:
            found.append(_hypothesis(facts, findings, d, split))
    return found


def _hypothesis(facts: Facts, findings: Sequence[Case], d: Destination, split: SplitOutcomes) -> Hypothesis:
    links = tuple(sorted(set(facts.attempts.table["link"][split.failed].tolist()).intersection(d.links)))
    reported, (backend, listed) = _icmp_errors(facts, links), _listed(facts, d)
    total = len(split.failed) + len(split.opened) + len(split.late)
    witnessed = bool(reported or listed)
    one = (
        f"its backend {backend} does not respond"
        if backend
        else "probably one of its backends does not respond"
    )
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="loss",
        statement=(
            f"{len(split.failed):,} of {plural(total, 'connection')} to {d.endpoint} got no answer, the others one "
            f"at once: {one}."
        ),
        prior=PRIOR,
        steps=tuple(one_instance(d)),
        weighed=(*_pattern(d, split), *reported, *listed, *lossy(facts, d)),
        both_sides=False,
        independent=witnessed,
        signs=int(bool(reported)) + int(bool(listed)),
        findings=about(findings, d),
        time_lost_s=0.0,
        rivals=_rivals(facts, d, witnessed),
        missing=_MISSING,
        remedies=_remedies(str(d.endpoint), backend),
        references=REFERENCES,
        refutation="it would be refuted by retransmissions that are answered as often as first SYNs",
        figures=figures_of(facts, d),
        impact=impact_of(facts, d),
        attempts=links,
        ceiling=0.999 if witnessed else PATTERN_CEILING,
    )


def _pattern(d: Destination, split: SplitOutcomes) -> list[Weighed]:
    failed, opened = len(split.failed), len(split.opened)
    text = (
        f"{opened:,} connections opened with their first SYN, {failed:,} with none of theirs: {len(split.late):,} of "
        f"{plural(split.retransmissions + len(split.late), 'SYN retransmission')} was answered "
        f"({p_text(split.p_value)})."
    )
    reason = "every SYN of a connection goes to the same backend; by chance or at a full queue retransmissions pass"
    beside = "Clients of the failed connections opened others to the same address and port in the meantime."
    pieces = [
        Weighed(1.8, text, loss_evidence(d), f"{reason}; Fisher's exact test"),
        Weighed(0.6, beside, loss_evidence(d), "neither the client nor the time makes the difference"),
    ]
    if split.clients > 1:
        several = f"Connections of {split.clients:,} clients failed so."
        pieces.append(Weighed(0.4, several, loss_evidence(d), "no single client's route or rule explains it"))
    return pieces


def _icmp_errors(facts: Facts, links: tuple[int, ...]) -> list[Weighed]:
    """The router or node in front of the dead backend."""
    errors = facts.icmp_errors
    found = errors.about(links, HOST, NETWORK)
    if not len(found):
        return []
    frames = frame_evidence(
        (facts.attempts.places[int(errors.place[n])].input, int(errors.rows["frame"][n])) for n in found
    )
    text = f"{plural(len(found), 'ICMP error')} to SYNs of failed connections: host unreachable."
    return [
        Weighed(
            2.2, text, frames, "the host that they were sent to is not there, and others of the address are"
        )
    ]


def _listed(facts: Facts, d: Destination) -> tuple[str, list[Weighed]]:
    """(the one backend whose conntrack entries are all without a reply, the piece)."""
    for each in facts.kernel.dumps:
        rows = each.dump.entries.rows
        own = np.zeros(len(rows), np.bool_)
        if len(rows):
            own = (rows["original_destination_high"] == d.endpoint.high) & (rows["protocol"] == 6)
            own &= rows["original_destination_low"] == d.endpoint.low
        backends = list(_backends(rows[own]))
        dead = [(address, lines) for address, lines, replied in backends if not replied]
        if len(dead) == 1 and len(backends) > 1:
            address, lines = dead[0]
            text = (
                f"conntrack lists {plural(len(lines), 'connection')} to its backend {address}, all unreplied, and "
                f"replied ones to {plural(len(backends) - 1, 'other backend')}."
            )
            evidence: list[EvidencePart] = line_evidence((each.input, line) for line in lines)
            return address, [Weighed(2.6, text, evidence, "the kernel's own state of every backend")]
    return "", []


def _backends(rows: np.ndarray) -> Iterator[tuple[str, list[int], bool]]:
    """(address, lines, whether any entry got a reply) of each backend."""
    keys = sorted(
        set(zip(rows["reply_source_high"].tolist(), rows["reply_source_low"].tolist(), strict=True))
    )
    for high, low in keys:
        own = rows[(rows["reply_source_high"] == high) & (rows["reply_source_low"] == low)]
        replied = bool(((own["flags"] & conntrack.UNREPLIED) == 0).any())
        yield address_text(high, low), own["line"].tolist(), replied


def _rivals(facts: Facts, d: Destination, witnessed: bool) -> tuple[RivalPart, ...]:
    hairpin = RivalPart(
        cause="hairpin",
        title="Hairpin: translated to its own sender",
        status="ruled-out" if witnessed else "cannot-tell",
        because=(
            "a source other than the outcomes shows the host that is not there"
            if witnessed
            else "a client that is its own backend, or one dead next hop, looks the same"
        ),
    )
    return (hairpin, *list_rivals(facts, d, "path-loss"))


_MISSING = (
    ListingRequest(
        what="Which backend the failed connections were translated to: entries without a reply",
        command="conntrack -L -p tcp | grep UNREPLIED",
        at="node",
    ),
    MissingPart(
        what="A capture behind the translation, where each backend has its own address",
        command="tcpdump -i any -y LINUX_SLL2 -s 96 -w any.pcap 'tcp[tcpflags] & (tcp-syn|tcp-rst) != 0 or icmp'",
    ),
    MissingPart(what="The backends of the address", command="kubectl get endpointslices -A -o wide"),
)


def _remedies(target: str, backend: str) -> tuple[RemedyPart, ...]:
    return (
        RemedyPart(
            what=f"Restore the backend{f' {backend}' if backend else ' that does not respond'}, or remove it from the "
            "endpoints of the address",
            applies_to=f"the service or load balancer at {target}",
            check="conntrack -L -p tcp | grep UNREPLIED",
            proof="every new connection opens with its first SYN",
            undo="add the backend again",
            side_effect="the other backends take its share of the load",
        ),
        RemedyPart(
            what="Let a readiness probe remove a backend that accepts no connections",
            applies_to="Kubernetes",
            check="kubectl get pods -o wide",
            proof="a pod that does not accept connections leaves the EndpointSlice",
            undo="remove the probe",
            side_effect="pods that answer the probe late are taken out, too",
        ),
    )
