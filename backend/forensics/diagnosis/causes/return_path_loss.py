"""The server answered, but its SYN-ACK was lost on the return path: both sides retransmit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.given_listings import ListingRequest
from backend.forensics.diagnosis.loosened_filter import loosen, other_way
from backend.forensics.diagnosis.loss_rivals import list_rivals
from backend.forensics.diagnosis.lost_syns import (
    REFUTES,
    about,
    figures_of,
    hurt,
    impact_of,
    loss_evidence,
    lossy,
    of_kind,
    one_instance,
)
from backend.forensics.evidence.absence.losses import ANSWERED, Loss
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kernel.kernel_signs import counter_rise
from backend.forensics.evidence.kernel.reverse_path import COUNTER, find_reverse_path
from backend.forensics.evidence.losses.destinations import Destination
from backend.forensics.findings import frame_evidence, line_evidence, plural
from backend.forensics.report import ClaimPart, EvidencePart, MissingPart, RemedyPart
from backend.forensics.wording import series_text

CAUSE = "return-path-loss"
TITLE = "Packet loss on the return path"
ALTERNATIVES: Final = (
    Alternative(
        "Packet loss on the path",
        "the server's capture does not have the packet; here it has it and its answer",
    ),
    Alternative("Reverse-path filter", "the answer reaches the node and IPReversePathFilter rises with each"),
)
PRIOR = -2.5
"""Rarer than a lost SYN, and easy to see where the answer was captured."""

REFERENCES = (
    "RFC 9293 section 3.10.7.4: an answer that passes the window opens the connection",
    "net/ipv4/inet_connection_sock.c: the server repeats its SYN-ACK after 1, 3, 7 s",
)

_INNER = MissingPart(
    what="A capture at the client's own interface: it shows whether the SYN-ACK arrives",
    command="tcpdump -i any -y LINUX_SLL2 -s 96 -w client.pcap 'tcp[tcpflags] & tcp-syn != 0'",
)
_REASONS = ListingRequest(
    what="What the kernel dropped on input: reverse-path filter, invalid packets, rules",
    command="nstat -az TcpExtIPReversePathFilter; conntrack -S; iptables-save -c; sysctl net.ipv4.conf.all.rp_filter",
    at="node",
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per destination with SYNs that were answered and sent again all the same."""
    return [_hypothesis(facts, findings, d) for d in facts.destinations if of_kind(d, "return")]


def _answers(losses: Sequence[Loss]) -> list[EvidencePart]:
    return frame_evidence((a.place.input, a.frame) for loss in losses for a in loss.answered_by)


def _hypothesis(facts: Facts, findings: Sequence[Case], d: Destination) -> Hypothesis:
    answered = of_kind(d, "return")
    located = [loss for loss in answered if loss.answer_lost is not None]
    links = tuple(sorted({loss.attempt.link for loss in answered}))
    counter = _counter(facts, answered)
    pieces = [
        *_place(d, answered, located),
        *_other_way(answered),
        *counter,
        *_repeats(answered),
        *_sent_to_another(facts, answered),
        *_elsewhere(d, answered),
        *lossy(facts, d),
    ]
    first = located[0] if located else answered[0]
    where = first.where.removeprefix("return path ")
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="loss",
        statement=f"{hurt(d)} waited: the SYN-ACK was lost on the return path, {where}.",
        prior=PRIOR,
        steps=(*one_instance(d)[:1], _answer_step(first)),
        weighed=tuple(pieces),
        both_sides=len(located) == len(answered),
        independent=bool(located)
        and len({p.machine for loss in located for p in loss.answer_lost or ()}) > 1,
        signs=int(bool(_repeats(answered))) + int(bool(located)),
        findings=about(findings, d),
        time_lost_s=0.0,
        rivals=list_rivals(facts, d, "listen-overflow", "snat-port-race", "ipvs-port-reuse", "firewall-drop"),
        missing=(_INNER, _REASONS),
        remedies=_remedies(facts, answered) if counter else _REMEDIES,
        references=REFERENCES,
        refutation="it would be refuted by a SYN-ACK captured at the client before its retransmission",
        figures=figures_of(facts, d),
        impact=impact_of(facts, d),
        attempts=links,
        returning=True,
    )


def _answer_step(loss: Loss) -> ClaimPart:
    seen = series_text(list(dict.fromkeys(f"{a.place.word}" for a in loss.answered_by)))
    text = (
        f"The server answered; its SYN-ACK was captured on {seen}, and then the client retransmitted its SYN."
    )
    return ClaimPart(role="step", text=text, evidence=_answers([loss]))


def _place(d: Destination, answered: Sequence[Loss], located: Sequence[Loss]) -> list[Weighed]:
    share = len(answered) / len(d.losses)
    if located:
        pair = located[0].answer_lost
        between = f"seen on {pair[0].word}, absent on {pair[1].word}" if pair else ""
        text = f"The SYN-ACK was {between}: {len(located):,} of {len(d.losses):,} retransmitted SYNs."
        return [Weighed(3.4 * share, text, _answers(located), "the loss itself, between two vantage points")]
    name = answered[0].answered_by[0].place.word
    text = (
        f"{len(answered):,} of {len(d.losses):,} retransmitted SYNs had been answered on {name} before "
        "the retransmission."
    )
    reason = "the client did not accept a SYN-ACK that passed here: it was lost behind this point, or rejected there"
    return [Weighed(1.8 * share, text, _answers(answered), reason)]


def _other_way(answered: Sequence[Loss]) -> list[Weighed]:
    """The answer came in at a place that its SYN had not passed."""
    other = []
    for loss in answered:
        arrived = other_way(loss)
        other += [(loss, arrived[0].place)] if arrived else []
    if not other:
        return []
    first, place = other[0]
    # The capture of the server shows the SYN later: it did not leave there.
    here = [s for s in first.transmission.sightings if s.place.machine == place.machine]
    left = max(here, key=lambda s: s.time_ns).place if here else first.transmission.last.place
    text = f"{plural(len(other), 'SYN-ACK')} arrived on {place.word}; the SYNs had left by {left.word}."
    reason = "an asymmetric route: a strict reverse-path filter or a stateful firewall drops such packets"
    return [Weighed(0.8, text, _answers([loss for loss, _ in other]), reason)]


def _counter(facts: Facts, answered: Sequence[Loss]) -> list[Weighed]:
    """The node counts what its reverse-path filter drops."""
    rise = counter_rise(facts.node, "nstat", COUNTER)
    if rise is None or rise.by * 2 < len(answered):
        return []
    text = (
        f"{COUNTER} rose by {rise.by:,} {rise.between_dumps}; {plural(len(answered), 'SYN-ACK')} were lost."
    )
    return [
        Weighed(2.0, text, line_evidence(rise.lines), "the node counts what its reverse-path filter drops")
    ]


def _remedies(facts: Facts, answered: Sequence[Loss]) -> tuple[RemedyPart, ...]:
    """The filter that counts is known; so is its interface where the answers came in by a strict one."""
    arrived_on = {a.place.name for loss in answered for a in other_way(loss)}
    device = find_reverse_path(facts.node).strict_device(arrived_on)
    return (*loosen(device or "INTERFACE"), *_REMEDIES[:1])


def _repeats(answered: Sequence[Loss]) -> list[Weighed]:
    """The server sends its SYN-ACK again because no ACK came."""
    again = [loss for loss in answered if len(loss.attempt.answers) > len(loss.answered_by)]
    if not again:
        return []
    attempts = len({loss.attempt.link for loss in again})
    text = f"The server retransmitted its SYN-ACK in {plural(attempts, 'attempt')}: no ACK reached it."
    frames = frame_evidence((a.place.input, a.frame) for loss in again for a in loss.attempt.answers)
    return [Weighed(0.6, text, frames, "both ends retransmit, as after a lost SYN-ACK")]


def _sent_to_another(facts: Facts, answered: Sequence[Loss]) -> list[Weighed]:
    """A SYN-ACK that a rule sent to another host is not lost."""
    own = {loss.attempt.link for loss in answered}
    sent_on = facts.misdelivered.of(np.array(sorted(own), np.int64))
    if 2 * len(sent_on) < len(own):
        return []
    seen = facts.attempts.sightings
    rows = [n for pair in zip(sent_on.arrived.tolist(), sent_on.left.tolist(), strict=True) for n in pair]
    frames = frame_evidence((seen.places[seen.place[n]].input, int(seen.rows["frame"][n])) for n in rows)
    text = (
        f"The SYN-ACKs of {len(sent_on):,} of {plural(len(own), 'connection')} were sent on to another host."
    )
    return [
        Weighed(REFUTES, text, frames, "they are not lost: the same packet left with another destination")
    ]


def _elsewhere(d: Destination, answered: Sequence[Loss]) -> list[Weighed]:
    rest = [loss for loss in d.losses if loss.kind not in ANSWERED]
    if len(rest) <= len(answered):
        return []
    text = f"{len(rest):,} of {d.losses.in_words} got no answer at all ({rest[0].where})."
    weight = REFUTES if len(rest) > 3 * len(answered) else -1.5
    return [Weighed(weight, text, loss_evidence(d, rest), "most losses are on the forward path")]


_REMEDIES = (
    RemedyPart(
        what="Follow the SYN-ACK: find the rule, filter or hop between the two vantage points that drops it",
        command="nft list ruleset; iptables-save -c; nstat -az TcpExtIPReversePathFilter",
        applies_to="the return path from the server to the client",
        check="sysctl net.ipv4.conf.all.rp_filter net.ipv4.conf.default.rp_filter",
        proof="SYN-ACKs are captured at both vantage points; the server retransmits none",
        undo="Not needed: read-only",
        side_effect="none",
        versions=None,
    ),
    RemedyPart(
        condition="the SYN-ACK arrives on another interface than the SYN left by",
        what="Set the reverse-path filter of that interface to loose mode",
        command="sysctl -w net.ipv4.conf.eth0.rp_filter=2",
        applies_to="hosts with several uplinks (asymmetric routes)",
        check="nstat -az TcpExtIPReversePathFilter   # rises with each dropped packet",
        proof="TcpExtIPReversePathFilter stops rising",
        undo="sysctl -w net.ipv4.conf.eth0.rp_filter=1",
        side_effect="loose mode lets spoofed sources pass that any route covers",
        versions="the larger value of conf.all and the interface's counts",
    ),
)
