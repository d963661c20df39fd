"""The path loses packets of all types: data segments are retransmitted as often as SYNs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.given_listings import ListingRequest
from backend.forensics.diagnosis.loss_rivals import SAMPLE_LIKE_P, SIGNIFICANT_P, list_rivals
from backend.forensics.diagnosis.lost_syns import (
    CAPTURE_BOTH_SIDES,
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
from backend.forensics.diagnosis.queries.path_loss import query_hypotheses
from backend.forensics.diagnosis.segment_path_loss import data_hypotheses
from backend.forensics.evidence.absence.losses import ANSWERED
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.losses.data_loss import LossRates, compare_later_losses, compare_losses
from backend.forensics.evidence.losses.destinations import Destination
from backend.forensics.findings import plural
from backend.forensics.report import MissingPart, RemedyPart
from backend.forensics.wording import p_text

CAUSE = "path-loss"
TITLE = "Packet loss on the path"
ALTERNATIVES: Final = (
    Alternative("Packets that the capture missed", "their bytes are acknowledged without a retransmission"),
    Alternative("Packet loss on the return path", "the receiver's capture has the packet and its answer"),
)
PRIOR = -2.0
"""Loss on a data centre's wire is rare; it has to show in data as well."""
SYNS_LOST_FROM = 3
"""One or two lost SYNs agree with any rate (SYNs)."""
DATA_LOST_FROM = 3
"""Fewer data segments sent again happen on any path (segments)."""
SINGLE_CEILING = 0.5
"""One lost SYN that was not followed over the path is an accident: no cause of it is more than even odds."""

REFERENCES = ("RFC 6298: retransmission timer; a lost SYN waits 1 s, a lost data segment about a round trip",)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per destination that answers sometimes and whose losses no translation encloses, per server to or
    from which data waited to be sent again, and per resolver to which queries were lost between captures."""
    of_data = data_hypotheses(facts, findings, cause=CAUSE, title=TITLE, references=REFERENCES)
    of_queries = query_hypotheses(facts, findings, cause=CAUSE, title=TITLE, references=REFERENCES)
    of_syns = [_hypothesis(facts, findings, d) for d in facts.destinations if _fits(facts, d)]
    return [*of_syns, *of_data, *of_queries]


def _fits(facts: Facts, d: Destination) -> bool:
    outside = len(of_kind(d, "beyond", "one-sided", "return")) + len(_between_captures(d))
    if not d.opened or d.silent or outside * 2 <= len(d.losses):
        return False
    rates = compare_losses(facts.data_of_hosts, d)
    return rates.data_again > 0 or not rates.data_segments or bool(_between_captures(d))


def _between_captures(d: Destination) -> list[int]:
    apart: list[int] = np.flatnonzero(d.losses.between_captures() & ~d.losses.rewritten).tolist()
    return apart


def _hypothesis(facts: Facts, findings: Sequence[Case], d: Destination) -> Hypothesis:
    rates = compare_losses(facts.data_of_hosts, d)
    data = _data(d, rates, compare_later_losses(facts.data_of_hosts, d))
    pieces = [*_place(d), *data, *_spread(d), *lossy(facts, d)]
    located = bool(_between_captures(d))
    agrees = any(p.weight > 1 for p in data)
    accident = len(d.losses) == 1 and not located
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="loss",
        statement=f"{hurt(d)} waited because {_what_was_lost(d)} was lost on the path: {rates.in_short}.",
        prior=PRIOR,
        steps=tuple(one_instance(d)),
        weighed=tuple(pieces),
        both_sides=located,
        independent=located and agrees,
        signs=int(agrees),
        findings=about(findings, d),
        time_lost_s=0.0,
        rivals=list_rivals(facts, d, "listen-overflow", "return-path-loss", "snat-port-race", "firewall-drop")
        if not agrees
        else list_rivals(facts, d, "snat-port-race", "firewall-drop"),
        missing=(CAPTURE_BOTH_SIDES, _PATH, _INTERFACES),
        remedies=_REMEDIES,
        references=REFERENCES,
        refutation="it would be refuted by data that passes where SYNs are lost",
        figures=figures_of(facts, d),
        impact=impact_of(facts, d),
        ceiling=SINGLE_CEILING if accident else 0.999,
        attempts=d.links,
    )


def _what_was_lost(d: Destination) -> str:
    """A SYN that was answered was not lost itself."""
    answered = len(of_kind(d, *ANSWERED))
    if not answered:
        return "their SYN"
    return "the SYN-ACK" if answered == len(d.losses) else "their SYN or the SYN-ACK"


_PATH = MissingPart(what="Loss per hop of the path", command="mtr -rwc 100 HOST")
_INTERFACES = ListingRequest(
    what="Drops and errors of the interfaces at both ends, before and after",
    command="ip -s link show dev eth0; ethtool -S eth0 | grep -iE 'drop|err|miss'",
    at="ends",
)


def _place(d: Destination) -> list[Weighed]:
    outside = of_kind(d, "beyond", "return")
    pieces = []
    if outside:
        text = f"{len(outside):,} of {len(d.losses):,} lost packets were last seen on {d.outermost.word}, on the path."
        reason = "they left this side; behind it are the path and the server"
        pieces.append(Weighed(0.6 * len(outside) / len(d.losses), text, loss_evidence(d, outside), reason))
    if _between_captures(d):
        text = (
            f"{len(_between_captures(d)):,} of {d.losses.in_words} left one host and did not reach the other."
        )
        pieces.append(Weighed(1.5, text, loss_evidence(d), "both ends of the path were captured"))
    inside = [
        loss
        for loss in of_kind(d, "inside")
        if loss.inside and loss.inside[0].machine == loss.inside[1].machine
    ]
    if inside:
        text = f"{len(inside):,} of {d.losses.in_words} were lost inside the node: {inside[0].where}."
        weight = REFUTES * len(inside) / len(d.losses)
        pieces.append(Weighed(weight, text, loss_evidence(d, inside), "the path begins behind the node"))
    return pieces


def _data(d: Destination, rates: LossRates, later: LossRates) -> list[Weighed]:
    """All data can refute; only data that a full accept queue does not drop can support."""
    if not rates.data_segments:
        return []
    if rates.p_syns_more < SIGNIFICANT_P:
        text = f"{rates.in_words} ({p_text(rates.p_syns_more)}): only SYNs are lost."
        reason = (
            "a SYN is retransmitted on loss in either direction, so up to twice as often as data; "
            "Fisher's exact test"
        )
        return [Weighed(REFUTES, text, loss_evidence(d), reason)]
    if later.data_again < DATA_LOST_FROM:
        return []
    text, chance = f"{later.in_words}, clients' first data left out", p_text(later.p_like)
    if len(d.losses) < SYNS_LOST_FROM:
        reason = "data is lost, but there are too few SYNs for a rate"
        return [Weighed(1.0, f"{text}: too few SYNs for a rate.", loss_evidence(d), reason)]
    if later.p_like > SAMPLE_LIKE_P:
        reason = "data in one direction and SYNs in both are lost at rates that fit; Fisher's exact test"
        return [Weighed(2.6, f"{text}: rates that fit one path ({chance}).", loss_evidence(d), reason)]
    reason = "data is lost even more often than SYNs"
    return [Weighed(1.6, f"{text}: data even more often ({chance}).", loss_evidence(d), reason)]


def _spread(d: Destination) -> list[Weighed]:
    if not d.neighbours_delayed:
        return []
    text = f"The SYN of {plural(d.neighbours_delayed, 'attempt')} to other ports of the host was retransmitted, too."
    return [Weighed(0.5, text, loss_evidence(d), "loss on a path does not depend on ports")]


_REMEDIES = (
    RemedyPart(
        what="Find the lossy hop: compare loss per hop, then the drop counters of the interfaces around it",
        command="mtr -rwc 100 HOST",
        applies_to="the network between the two hosts",
        check="ip -s link; ethtool -S eth0 | grep -iE 'drop|err|miss'",
        proof="the retransmission rate falls to that of other destinations",
        undo="Not needed: read-only",
        side_effect="routers rate-limit ICMP: loss at a single intermediate hop is not real",
        versions=None,
    ),
)
