"""IPVS still forwards packets to a real server that no longer responds or was removed.

The entry of an earlier connection on the same tuple still names it. With `expire_nodest_conn=0` packets to a removed
server are dropped silently until the entry expires (net/netfilter/ipvs/ip_vs_core.c, ip_vs_in()); packets to a dead one
stay unanswered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.cases.ipvs_drain import IpvsDrain
from backend.forensics.connections import NEVER
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.ipvs_remedies import REFERENCES, list_drain_remedies
from backend.forensics.diagnosis.ipvs_settings import IpvsSettings, read_settings
from backend.forensics.diagnosis.victims import Victims, describe_victims
from backend.forensics.evidence.attempts.attempts import RetriedAttempt
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.nat.ipvs_servers import Drain
from backend.forensics.findings import frame_evidence, line_evidence, plural
from backend.forensics.report import ClaimPart, EvidencePart, MissingPart, RivalPart

CAUSE = "ipvs-stale-destination"
TITLE = "Stale IPVS entries for a removed real server"
ALTERNATIVES: Final = (
    Alternative("IPVS drain that never ends", "that server still answers; here nobody does"),
    Alternative(
        "One of several backends does not respond",
        "new tuples fail, too; a stale entry fails one tuple again and again",
    ),
)
COLLECT: Final = (
    MissingPart(
        what="The entries that still point to the server",
        command="ipvsadm -Lnc; sysctl net.ipv4.vs.expire_nodest_conn",
    ),
)
PRIOR = -2.0
"""Dead servers are common, but here a listing has to show that this one was drained."""
LEAST_ATTEMPTS = 3


@dataclass(frozen=True)
class Stale:
    """`unanswered` were sent towards the server and nobody answered; `swallowed` vanished inside IPVS on a tuple
    whose earlier connection had gone to that server; `refused` were answered by a reset or an ICMP error."""

    drain: Drain
    victims: Victims
    unanswered: tuple[RetriedAttempt, ...]
    swallowed: tuple[RetriedAttempt, ...]
    refused: int
    answered_others: bool
    """The server answered somebody after the first of these SYNs."""

    @property
    def passed(self) -> int:
        """Attempts of which a retry passed."""
        return self.victims.passed


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per drained server that swallowed at least three attempts."""
    settings = read_settings(facts.node)
    found = [_collect(facts, findings, drain) for drain in facts.ipvs_drains]
    return [_hypothesis(findings, stale, settings) for stale in found if stale is not None]


def _collect(facts: Facts, findings: Sequence[Case], drain: Drain) -> Stale | None:
    sent = {s.link for s in drain.through_service}
    unanswered = [a for a in facts.attempts.retried if a.link in sent and not a.answers]
    swallowed = _swallowed(facts, drain, {a.link for a in unanswered})
    attempts = tuple(sorted([*unanswered, *swallowed], key=lambda a: (a.start_ns, a.link)))
    if len(attempts) < LEAST_ATTEMPTS:
        return None
    return Stale(
        drain=drain,
        victims=describe_victims(facts, findings, attempts),
        unanswered=tuple(unanswered),
        swallowed=tuple(swallowed),
        refused=sum(a.outcome in ("refused", "unreachable") for a in attempts),
        answered_others=drain.last_answer_ns != NEVER and drain.last_answer_ns > attempts[0].start_ns,
    )


def _swallowed(facts: Facts, drain: Drain, but: set[int]) -> list[RetriedAttempt]:
    """Attempts to the service, seen before IPVS and not behind it, on a tuple last opened towards that server."""
    reuse, row_of_link = facts.port_reuse, facts.row_of_link
    service = drain.drained.service
    inside = {x.attempt.link for x in facts.losses if x.inside is not None}
    found = []
    for attempt in facts.attempts.retried:
        if attempt.link in but or attempt.link not in inside or attempt.server != service:
            continue
        earlier = int(reuse.earlier[row_of_link[attempt.link]])
        if earlier == NEVER or attempt.start_ns <= drain.drained.since_ns:
            continue
        if int(facts.attempts.sightings.link_of_node[earlier]) in drain.served:
            found.append(attempt)
    return found


def _frames(attempts: Sequence[RetriedAttempt]) -> list[EvidencePart]:
    return frame_evidence(
        (s.place.input, s.frame) for a in attempts for t in a.transmissions for s in t.sightings
    )


def _hypothesis(findings: Sequence[Case], stale: Stale, settings: IpvsSettings) -> Hypothesis:
    drained, victims = stale.drain.drained, stale.victims
    gone = "was removed" if drained.removed_ns is not None else "was drained"
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="loss",
        statement=(
            f"{victims.hurt} waited for {drained.server}, which {gone} and does not respond: IPVS still "
            "forwarded them there."
        ),
        prior=PRIOR,
        steps=tuple(_steps(stale)),
        weighed=tuple(_weigh(stale, settings)),
        both_sides=True,
        independent=drained.removed_ns is not None,
        signs=1 + int(drained.removed_ns is not None),
        findings=(
            *victims.findings,
            *(f.id for f in findings if isinstance(f, IpvsDrain) and f.drained == drained.server),
        ),
        time_lost_s=victims.time_lost_s,
        rivals=tuple(_rivals(stale)),
        missing=tuple(_missing(settings)),
        remedies=list_drain_remedies(drained, settings),
        references=REFERENCES,
        refutation="it would be refuted by a response from that server at that time",
        figures=victims.figures,
        impact=victims.impact,
        attempts=victims.links,
    )


def _weigh(stale: Stale, settings: IpvsSettings) -> list[Weighed]:
    drained = stale.drain.drained
    lines = line_evidence([drained.since, *([drained.removed] if drained.removed else [])])
    what = "is no longer listed" if drained.removed_ns is not None else "has weight 0"
    pieces = [
        Weighed(
            1.0, f"{drained.server} {what}.", lines, "the kernel's own reason why the server may not respond"
        )
    ]
    if stale.unanswered:
        text = f"{plural(len(stale.unanswered), 'connection')} sent to {drained.server} got no SYN-ACK."
        pieces.append(
            Weighed(2.2, text, _frames(stale.unanswered), "the SYN was captured addressed to the dead server")
        )
    if stale.swallowed:
        text = (
            f"{plural(len(stale.swallowed), 'SYN')} were lost inside IPVS on 5-tuples whose earlier connection had "
            f"gone to {drained.server}."
        )
        pieces.append(
            Weighed(1.5, text, _frames(stale.swallowed), "the old entry points to the removed server")
        )
    if stale.answered_others:
        text = f"{drained.server} answered others after the first of these SYNs."
        pieces.append(
            Weighed(-5.0, text, _frames(stale.victims.attempts), "a server that responds is not removed")
        )
    return [*pieces, *_of_retries(stale), *_of_settings(settings)]


def _of_retries(stale: Stale) -> list[Weighed]:
    attempts = stale.victims.attempts
    lost_again = sum(len(a.transmissions) > 2 or a.outcome != "established" for a in attempts)
    pieces = []
    if lost_again * 2 > len(attempts):
        text = f"The retransmissions were lost, too, in {lost_again:,} of {len(attempts):,} cases."
        reason = "the entry outlives the retransmission; a drop of the first SYN only would let it pass"
        pieces.append(Weighed(1.0, text, _frames(attempts), reason))
    elif stale.passed * 2 > len(attempts):
        text = (
            f"The first retransmission passed in {len(attempts) - lost_again:,} of {len(attempts):,} cases."
        )
        reason = "an entry of a removed server drops the retransmission as well"
        pieces.append(Weighed(-2.0, text, _frames(attempts), reason))
    if stale.refused:
        text = f"{stale.refused:,} were answered by a reset or an ICMP error."
        pieces.append(Weighed(0.7, text, _frames(attempts), "the usual response for a removed address"))
    return pieces


def _of_settings(settings: IpvsSettings) -> list[Weighed]:
    if settings.expire_nodest is None:
        return []
    value, line = settings.expire_nodest
    text = f"net.ipv4.vs.expire_nodest_conn = {value}."
    if value == 0:
        reason = "entries of a removed server stay and drop packets until they expire"
        return [Weighed(0.8, text, line_evidence([line]), reason)]
    return [
        Weighed(
            -0.8, text, line_evidence([line]), "an entry expires with the first packet to a missing server"
        )
    ]


def _steps(stale: Stale) -> list[ClaimPart]:
    drained = stale.drain.drained
    lines = line_evidence([drained.since, *([drained.removed] if drained.removed else [])])
    state = "weight 0" if drained.weight == 0 else "no entry"
    then = ", and is later removed" if drained.removed and drained.weight == 0 else ""
    steps = [
        ClaimPart(
            role="step", text=f"{drained.server} has {state} in the ipvsadm output{then}.", evidence=lines
        )
    ]
    for attempts, text in (
        (stale.unanswered, f"The SYN of {{client}} is sent to {drained.server}; there is no response."),
        (stale.swallowed, "The SYN of {client} arrives and is absent behind IPVS."),
    ):
        if attempts:
            one = attempts[len(attempts) // 2]
            steps.append(ClaimPart(role="step", text=text.format(client=one.client), evidence=_frames([one])))
    return steps


def _rivals(stale: Stale) -> list[RivalPart]:
    reuse = "IPVS port reuse (conn_reuse_mode)"
    if stale.passed * 2 > len(stale.victims.attempts):
        because = "most retransmissions passed"
        command = "sysctl net.ipv4.vs.conn_reuse_mode"
        first = RivalPart(
            cause="ipvs-port-reuse", title=reuse, status="possible", because=because, command=command
        )
    else:
        because = "it drops the first SYN only; here the retransmissions were lost, too"
        first = RivalPart(cause="ipvs-port-reuse", title=reuse, status="ruled-out", because=because)
    title = "A real server that is down"
    second = RivalPart(
        cause="target-unresponsive",
        title=title,
        status="ruled-out",
        because="ipvsadm shows that it was drained",
    )
    title = "Accept queue overflow"
    because = "every SYN to that server was lost, none was answered"
    if stale.answered_others:
        because = "the server answers others"
        third = RivalPart(
            cause="listen-overflow",
            title=title,
            status="possible",
            because=because,
            command="nstat -az TcpExtListenDrops",
        )
    else:
        third = RivalPart(cause="listen-overflow", title=title, status="ruled-out", because=because)
    return [first, second, third]


def _missing(settings: IpvsSettings) -> list[MissingPart]:
    missing = [MissingPart(what="The entries that still point to the server", command="ipvsadm -Lnc")]
    if settings.expire_nodest is None:
        what = "Whether entries of a removed server expire"
        missing.append(MissingPart(what=what, command="sysctl net.ipv4.vs.expire_nodest_conn"))
    return missing
