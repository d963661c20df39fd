"""What speaks for and against a drop by a rule or program, with the weight of each piece and its reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.causes.node_drop.rules import dropping_rules
from backend.forensics.diagnosis.contract import Weighed
from backend.forensics.diagnosis.counted import brackets, delta_lines
from backend.forensics.diagnosis.victims import Victims, describe_victims, group_by_server
from backend.forensics.dumps import FilterRule
from backend.forensics.evidence.absence.icmp_reported import first_losses
from backend.forensics.evidence.absence.losses import Loss
from backend.forensics.evidence.clocks.nodes import same_node
from backend.forensics.evidence.facts import Facts
from backend.forensics.findings import frame_evidence, line_evidence, plural
from backend.forensics.private_words import of_rule
from backend.forensics.report import EvidencePart

COUNTED_RATIO = 0.5
DATA_LOSS_LIKE_SYN_LOSS = 0.5


@dataclass(frozen=True)
class NodeLosses:
    """SYNs towards one destination that vanished between two vantage points of one node, without a race and with
    ports free."""

    victims: Victims
    losses: tuple[Loss, ...]
    rules: tuple[tuple[str, FilterRule], ...]
    """Dumped rules that drop and could have met these SYNs."""
    reused: int
    """Losses on tuples that an earlier connection had used."""
    services: tuple[tuple[str, int], ...]
    """(input, line) of IPVS listings that hold the destination."""

    @property
    def all_interfaces(self) -> bool:
        """Whether all interfaces of the node were captured (Linux cooked numbers them): else what is absent on one may
        have left by another."""
        places = [place for loss in self.losses if loss.inside for place in loss.inside]
        return all(place.point.interface_index is not None for place in places)

    @property
    def between(self) -> tuple[str, str]:
        pairs = [(x.inside[0].word, x.inside[1].word) for x in self.losses if x.inside]
        return max(sorted(set(pairs)), key=pairs.count)


@dataclass(frozen=True)
class WeighedLosses:
    """`rule_counted`: a matching rule has counted packets."""

    pieces: tuple[Weighed, ...]
    counters_flat: bool
    counters_rise: bool
    rule_counted: bool


def collect_losses(facts: Facts, findings: Sequence[Case]) -> list[NodeLosses]:
    """By destination."""
    delta = facts.node.delta
    # The kernel counts every SYN that lost a race for one of few free ports.
    flat = delta is not None and delta.deltas.get("insert_failed") == 0
    silent = np.flatnonzero(
        facts.losses.is_kind("inside") & first_losses(facts.losses) & ~facts.reported_by_icmp
    )
    mine = [
        loss
        for number in silent.tolist()
        if (loss := facts.losses[number]).inside is not None
        and number not in facts.exhausted
        and (flat or number not in facts.drawn_ports)
        and not (loss.rewritten and number in facts.rivals)
        and _one_node(facts, loss)
    ]
    by_link: dict[int, list[Loss]] = {}
    for loss in mine:
        by_link.setdefault(loss.attempt.link, []).append(loss)
    attempts = {loss.attempt.link: loss.attempt for loss in mine}
    table, reuse = facts.attempts.table, facts.port_reuse
    used = set(table["link"][reuse.reused].tolist())
    found = []
    for group in group_by_server(attempts[link] for link in sorted(attempts)):
        losses = tuple(loss for a in group for loss in by_link[a.link])
        found.append(
            NodeLosses(
                describe_victims(facts, findings, group),
                losses,
                dropping_rules(facts.node, losses),
                sum(loss.attempt.link in used for loss in losses),
                _services(facts, str(group[0].server)),
            )
        )
    return found


def _one_node(facts: Facts, loss: Loss) -> bool:
    return loss.inside is not None and same_node(facts.captures, *loss.inside)


def _services(facts: Facts, target: str) -> tuple[tuple[str, int], ...]:
    return tuple(
        (d.input, s.line)
        for d in facts.node.dumps
        for s in d.dump.services
        if target in (f"{s.address}:{s.port}", f"[{s.address}]:{s.port}")
    )


def weigh_losses(facts: Facts, found: NodeLosses) -> WeighedLosses:
    """All pieces, in the order in which they convince."""
    flat, rise, counters = _counters(facts, found)
    counted, rules = _rules(found)
    pieces = [_place(facts, found), *counters, *rules, *_tuples(found), *_data(facts, found)]
    return WeighedLosses(tuple(pieces), flat, rise, counted)


def _frames(found: NodeLosses) -> list[EvidencePart]:
    return frame_evidence((s.place.input, s.frame) for x in found.losses for s in x.transmission.sightings)


def _place(facts: Facts, found: NodeLosses) -> Weighed:
    inner, outer = found.between
    text = (
        f"{plural(len(found.losses), 'SYN')} seen on {inner}, absent on {outer}; no other SYN competed for "
        "their tuple, and ports were free."
    )
    if facts.quality.lossy:
        reason = "both vantage points are in the node, but packets are missing from the capture"
        return Weighed(0.6, text, _frames(found), reason)
    return Weighed(1.7, text, _frames(found), "both vantage points are in the node")


def _counters(facts: Facts, found: NodeLosses) -> tuple[bool, bool, list[Weighed]]:
    """(flat, risen with the losses, pieces)."""
    delta = facts.node.delta
    if delta is None or "insert_failed" not in delta.deltas:
        return False, False, []
    lost = len(found.losses)
    # What another cause explains was counted, too: only the rest can be these.
    others = sum(n in facts.exhausted or n in facts.rivals for n in range(len(facts.losses)))
    counted = max(delta.deltas["insert_failed"], delta.deltas.get("drop", 0)) - others
    shown = f"insert_failed +{delta.deltas['insert_failed']:,}, drop +{delta.deltas.get('drop', 0):,}"
    if counted >= COUNTED_RATIO * lost:
        text = f"{shown} {delta.between_dumps}, {lost:,} SYNs lost here: conntrack counted them."
        return False, True, [Weighed(-4.0, text, delta_lines(delta), "a drop by a rule is not counted there")]
    times = [loss.transmission.time_ns for loss in found.losses]
    around = brackets(facts.node, delta, min(times), max(times))
    text = f"{shown} {delta.between_dumps}, {lost:,} SYNs lost here: the kernel counted no failed insertion."
    reason = "every packet that conntrack drops is counted there" + (
        "" if around else "; read at another time"
    )
    return around, False, [Weighed(1.3 if around else 0.3, text, delta_lines(delta), reason)]


def _rules(found: NodeLosses) -> tuple[bool, list[Weighed]]:
    """(whether a matching rule counted packets, pieces)."""
    if not found.rules:
        return False, []
    lines = line_evidence((name, rule.line) for name, rule in found.rules)
    rule = max((rule for _, rule in found.rules), key=lambda r: r.packets or 0)
    hits = rule.packets or 0
    if hits:
        text = f"A rule that matches these SYNs has dropped {hits:,} packets: {of_rule(rule.text)}"
        return True, [Weighed(1.5, text, lines, "the rule exists and matched packets")]
    text = f"A rule that matches these SYNs drops packets: {of_rule(rule.text)}"
    return False, [Weighed(0.8, text, lines, "it exists; the dump shows no packets counted yet")]


def _tuples(found: NodeLosses) -> list[Weighed]:
    pieces = []
    if found.reused * 2 > len(found.losses):
        text = f"{found.reused:,} of {len(found.losses):,} lost SYNs were on 5-tuples used by an earlier connection."
        reason = "a rule does not depend on that; stateful components (IPVS, conntrack) do"
        pieces.append(Weighed(-2.0, text, _frames(found), reason))
    if found.services:
        text = f"{found.victims.target} is an IPVS virtual service, and IPVS drops packets itself."
        pieces.append(
            Weighed(-1.5, text, line_evidence(found.services), "IPVS counts none of its drops there")
        )
    return pieces


def _data(facts: Facts, found: NodeLosses) -> list[Weighed]:
    quality = facts.quality
    if not quality.data_segments or not found.victims.attempts_total:
        return []
    ratio = len(found.losses) / found.victims.attempts_total
    text = f"{quality.data_retransmissions:,} of {quality.data_segments:,} data segments were retransmitted."
    if quality.data_retransmission_ratio >= DATA_LOSS_LIKE_SYN_LOSS * ratio:
        reason = "packets of every kind are lost: a full queue or a bad interface rather than a rule for SYNs"
        return [Weighed(-1.0, text, _frames(found), reason)]
    return [Weighed(0.3, text, _frames(found), "only SYNs are lost, as with a rule for new connections")]
