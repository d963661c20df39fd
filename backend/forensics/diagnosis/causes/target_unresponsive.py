"""The destination host is down or not routed: none of its ports responds.

A dead host on the same segment leaves failed neighbor entries (ARP, RFC 826; Linux reports EHOSTUNREACH once the entry
fails) and, from a router, ICMP type 3 code 1 (RFC 792); otherwise there is no response at all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.loss_rivals import list_rivals
from backend.forensics.diagnosis.lost_syns import (
    CAPTURE_BOTH_SIDES,
    NEIGHBOUR,
    about,
    address_is_twice,
    figures_of,
    hurt,
    impact_of,
    life_of,
    loss_evidence,
    lossy,
    of_kind,
    one_instance,
)
from backend.forensics.dumps import conntrack
from backend.forensics.evidence.absence.kept_inside import sent_on_otherwise
from backend.forensics.evidence.absence.losses import ANSWERED
from backend.forensics.evidence.attempts.icmp_errors import HOST, NETWORK
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.losses.destinations import Destination
from backend.forensics.findings import frame_evidence, line_evidence, plural
from backend.forensics.report import RemedyPart

CAUSE = "target-unresponsive"
TITLE = "Host down or unreachable"
ALTERNATIVES: Final = (
    Alternative("Firewall rule", "the host answers other sources or other ports"),
    Alternative("One of several paths is dead", "some SYNs to the same address and port are answered"),
)
PRIOR = -2.0
"""Silence has many causes; a host that is down is distinguished from a silent port by all that it could have said."""
SEVERAL_SYNS = 3
"""One SYN can get lost on any path; three over several seconds do not."""
REPEATED_ATTEMPTS = 2
SILENCE_CEILING = 0.49
"""A host that is down, a rule that drops everything and answers lost on their way back are equally silent: that the
host is down takes a router or a neighbor table that says so."""

REFERENCES = (
    "RFC 792: ICMP destination unreachable, code 1",
    "RFC 9293 section 3.10.7.1: a living host answers a SYN to a closed port with RST",
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per destination that never answered and was not heard meanwhile."""
    return [_hypothesis(facts, findings, d) for d in facts.destinations if _fits(d) and not _lives(facts, d)]


def _lives(facts: Facts, d: Destination) -> bool:
    known = life_of(facts, d)
    return bool(known.alive or known.dropped or known.filtered) or address_is_twice(facts, d)


def _fits(destination: Destination) -> bool:
    silent = destination.silent and not destination.heard_after and not destination.opened
    return silent and not destination.refused and len(of_kind(destination, *ANSWERED)) == 0


def _hypothesis(facts: Facts, findings: Sequence[Case], d: Destination) -> Hypothesis:
    reported, listed, failed = _icmp_errors(facts, d), _unreplied(facts, d), _failed(facts, d)
    kept = _kept(facts, d)
    pieces = [
        *(kept or _place(d)),
        *_silence(d),
        *_often(d),
        *reported,
        *failed,
        *listed,
        *_only_direction(facts, d),
        *lossy(facts, d),
    ]
    host = d.endpoint.host
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="loss",
        statement=_statement(d, host, known=bool(reported or failed)),
        prior=PRIOR,
        steps=tuple(one_instance(d)),
        weighed=tuple(pieces),
        both_sides=bool(of_kind(d, "beyond") and not kept) or bool(reported),
        independent=bool(reported or listed or failed),
        signs=sum(map(bool, (reported, listed, failed))),
        findings=about(findings, d),
        time_lost_s=0.0,
        rivals=list_rivals(
            facts, d, "firewall-drop", "listen-overflow", "path-loss", "return-path-loss", "node-drop"
        )
        if not reported
        else list_rivals(facts, d, "path-loss", "return-path-loss", "node-drop"),
        missing=(NEIGHBOUR, CAPTURE_BOTH_SIDES),
        remedies=_remedies(host),
        references=REFERENCES,
        refutation="it would be refuted by any packet from this host at that time",
        figures=figures_of(facts, d),
        impact=impact_of(facts, d),
        attempts=d.links,
        ceiling=0.999 if reported or failed else SILENCE_CEILING,
    )


def _statement(d: Destination, host: str, *, known: bool) -> str:
    if len(d.hosts) > 1:
        return f"{hurt(d)} got no response: no packet from any of these hosts."
    what = (
        "seems down or unreachable"
        if known
        else "is down, unreachable or behind a rule that drops everything"
    )
    return f"{hurt(d)} got no response: no packet from {host}, which {what}."


def _kept(facts: Facts, d: Destination) -> list[Weighed]:
    """A host that is down is recognized by SYNs that were sent to it: these were not."""
    left = sent_on_otherwise(facts.attempts, d)
    if left is None:
        return []
    text = (
        f"These SYNs were received on {d.outermost.word} and not sent on; others of the same sources left on "
        f"{left.word}."
    )
    reason = "whatever kept them is on this node, unless it cannot resolve the neighbor"
    return [Weighed(-0.7, text, loss_evidence(d), reason)]


def _place(d: Destination) -> list[Weighed]:
    beyond = of_kind(d, "beyond")
    if beyond:
        text = f"{len(beyond):,} of {len(d.losses):,} SYNs were captured as far out as {d.outermost.word}, unanswered."
        reason = "they were sent towards the host; weaker when some were lost earlier"
        return [Weighed(1.0 * len(beyond) / len(d.losses), text, loss_evidence(d, beyond), reason)]
    if d.one_sided:
        text = f"{d.syns:,} SYNs seen on {d.outermost.word}, none answered; what happened behind it was not captured."
        return [Weighed(0.3, text, loss_evidence(d), "one vantage point cannot show where a SYN was lost")]
    text = (
        "The SYNs did not reach the furthest vantage point; an unanswered ARP request looks like this, too."
    )
    return [
        Weighed(0.1, text, loss_evidence(d), "the kernel holds a packet whose neighbor it cannot resolve")
    ]


def _silence(d: Destination) -> list[Weighed]:
    text = "No packet from this host: no port answered, no other packet arrived."
    reason = (
        "a host that is up refuses a closed port with RST; a firewall that drops everything looks the same"
    )
    return [Weighed(1.2, text, loss_evidence(d), reason)]


def _often(d: Destination) -> list[Weighed]:
    pieces = []
    if d.syns_each >= SEVERAL_SYNS:
        span_s = float(d.attempts.span_s.max())
        text = f"{d.syns:,} SYNs over up to {span_s:.1f} s each stayed unanswered."
        pieces.append(Weighed(0.4, text, loss_evidence(d), "random loss does not affect several in a row"))
    if d.attempts_each >= REPEATED_ATTEMPTS:
        text = (
            f"{plural(len(d.attempts), 'attempt')} from "
            f"{plural(d.attempts.clients, 'source address', 'source addresses')}, none answered."
        )
        pieces.append(Weighed(0.6, text, loss_evidence(d), "independent attempts agree"))
    return pieces


def _icmp_errors(facts: Facts, d: Destination) -> list[Weighed]:
    errors = facts.icmp_errors
    found = errors.about(d.links, HOST, NETWORK)
    if not len(found):
        return []
    frames = frame_evidence(
        (facts.attempts.places[int(errors.place[n])].input, int(errors.rows["frame"][n])) for n in found
    )
    sent = errors.sent(found)
    text = f"{plural(sent, 'ICMP error')} report{'s' if sent == 1 else ''} that the host is unreachable."
    return [Weighed(2.5, text, frames, "reported by the last router or the local kernel")]


def _failed(facts: Facts, d: Destination) -> list[Weighed]:
    """The table of a neighbor says that nobody answered for the address."""
    return [
        Weighed(2.0, sign.text, line_evidence(sign.lines), "ARP or neighbor discovery got no response")
        for sign in life_of(facts, d).dead
    ]


def _unreplied(facts: Facts, d: Destination) -> list[Weighed]:
    """conntrack lists the attempt as SYN_SENT without a reply: the kernel saw no answer either."""
    lines: list[tuple[str, int]] = []
    for each in facts.node.dumps:
        rows = each.dump.entries.rows
        if not len(rows):
            continue
        same = (rows["original_destination_high"] == d.endpoint.high) | (
            rows["reply_source_high"] == d.endpoint.high
        )
        same &= (rows["original_destination_low"] == d.endpoint.low) | (
            rows["reply_source_low"] == d.endpoint.low
        )
        silent = same & ((rows["flags"] & conntrack.UNREPLIED) != 0) & (rows["protocol"] == 6)
        lines += [(each.input, int(line)) for line in rows["line"][silent]]
    if not lines:
        return []
    text = f"conntrack lists {plural(len(lines), 'connection')} to it as unreplied."
    return [Weighed(0.8, text, line_evidence(lines), "the kernel's own state, independent of capture loss")]


def _only_direction(facts: Facts, d: Destination) -> list[Weighed]:
    """A capture that shows no answer of anyone may see one direction only."""
    if d.heard_others:
        return []
    text = "No attempt to any other host was answered in this capture either: it may hold one direction only."
    return [Weighed(-1.0, text, loss_evidence(d), "absence counts only where responses are captured at all")]


def _remedies(host: str) -> tuple[RemedyPart, ...]:
    return (
        RemedyPart(
            what="Restore the host, or remove its address from the configuration, service or DNS record",
            command=None,
            applies_to="the host or the configuration that lists it",
            check=f"ping -c 3 {host}; ip neigh show {host}",
            proof="a new connection opens immediately; the neighbor entry is REACHABLE",
            undo="not needed",
            side_effect="clients with a long connect timeout wait until their present attempt ends",
            versions=None,
        ),
        RemedyPart(
            what="Shorten the clients' connect timeout to seconds, instead of the kernel's two minutes",
            command="sysctl -w net.ipv4.tcp_syn_retries=3",
            applies_to="the client's host or network namespace",
            check="sysctl net.ipv4.tcp_syn_retries",
            proof="an attempt to the dead address fails after 15 s (7 s and the last wait of 8 s)",
            undo="sysctl -w net.ipv4.tcp_syn_retries=6",
            side_effect="attempts over lossy paths give up earlier, too",
            versions="the value counts exponential retransmissions; from Linux 6.5 four linear ones come before",
        ),
    )
