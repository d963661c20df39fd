"""SYNs are dropped inside the node by a rule or a program; no kernel counter for other drops rose.

It remains when a SYN is captured at one vantage point of the node and absent at the next, no other source competed for
its tuple, ports were free, and conntrack's counters stayed flat.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.causes.node_drop.evidence import (
    NodeLosses,
    WeighedLosses,
    collect_losses,
    weigh_losses,
)
from backend.forensics.diagnosis.causes.node_drop.queries import assess_queries
from backend.forensics.diagnosis.causes.node_drop.remedies import list_remedies
from backend.forensics.diagnosis.causes.node_drop.rivals import list_rivals
from backend.forensics.diagnosis.contract import Hypothesis
from backend.forensics.evidence.facts import Facts
from backend.forensics.findings import frame_evidence, line_evidence, seconds_text
from backend.forensics.private_words import of_rule
from backend.forensics.report import ClaimPart, MissingPart

CAUSE = "node-drop"
TITLE = "Drop inside the node (firewall rule, policy or program)"
ALTERNATIVES: Final = (
    Alternative(
        "SNAT source-port collision",
        "a second SYN to the same destination drew the same port within a millisecond, and insert_failed rises",
    ),
    Alternative(
        "Packet loss on the path", "the packet is seen to leave the node; here it enters and never leaves"
    ),
)
PRIOR = -1.8
"""The remainder: it stands only as far as the others are excluded."""

REFERENCES = (
    "net/netfilter/core.c: nf_hook_slow(), a verdict of NF_DROP ends the packet without any counter of conntrack",
    "nft monitor trace; iptables -t raw -j TRACE: which rule ended a packet",
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per destination whose SYNs, or resolver whose queries, vanished inside the node without another
    explanation."""
    found = [_hypothesis(facts, found) for found in collect_losses(facts, findings)]
    return [*found, *assess_queries(facts, findings, CAUSE, TITLE, PRIOR, REFERENCES)]


def _hypothesis(facts: Facts, found: NodeLosses) -> Hypothesis:
    weighed = weigh_losses(facts, found)
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="loss",
        statement=_statement(found, weighed),
        prior=PRIOR,
        steps=tuple(_steps(found)),
        weighed=tuple(weighed.pieces),
        both_sides=True,
        independent=weighed.rule_counted,
        signs=int(weighed.counters_flat) + int(bool(found.rules)),
        findings=found.victims.findings,
        time_lost_s=found.victims.time_lost_s,
        rivals=tuple(list_rivals(facts, found, weighed)),
        missing=tuple(_missing(facts, found)),
        remedies=tuple(list_remedies(found)),
        references=REFERENCES,
        refutation="it would be refuted by insert_failed or drop rising with the lost SYNs",
        figures=found.victims.figures,
        impact=found.victims.impact,
        attempts=found.victims.links,
        places=frozenset((f"{found.between[1]}",)),
    )


def _statement(found: NodeLosses, weighed: WeighedLosses) -> str:
    inner, outer = found.between
    where = f"their SYN was lost in the node, between {inner} and {outer}"
    uncounted = ", uncounted by conntrack" if weighed.counters_flat else ""
    if not found.all_interfaces and not weighed.rule_counted:
        uncounted = ", or left by another interface"
    return f"{found.victims.hurt} waited: {where}{uncounted}."


def _steps(found: NodeLosses) -> list[ClaimPart]:
    loss = found.losses[len(found.losses) // 2]
    first = loss.transmission.first
    inner, outer = found.between
    text = (
        f"The SYN of {first.source} was captured at {inner} and is absent at {outer}, where other SYNs "
        "of that source arrive."
    )
    frames = frame_evidence((s.place.input, s.frame) for s in loss.transmission.sightings)
    steps = [ClaimPart(role="step", text=text, evidence=frames)]
    if found.rules:
        text = f"A rule of the node drops packets on that path: {of_rule(found.rules[0][1].text)}"
        lines = line_evidence((name, rule.line) for name, rule in found.rules)
        steps.append(ClaimPart(role="step", text=text, evidence=lines))
    if loss.retry is not None:
        gap_s = (loss.retry.time_ns - loss.transmission.time_ns) / 1e9
        passed = len(loss.retry.sightings) > 1
        text = f"It was retransmitted after {seconds_text(gap_s)}{', and passed' if passed else ''}."
        frames = frame_evidence((s.place.input, s.frame) for s in loss.retry.sightings)
        steps.append(ClaimPart(role="step", text=text, evidence=frames))
    return steps


def _missing(facts: Facts, found: NodeLosses) -> list[MissingPart]:
    missing = []
    if facts.node.delta is None:
        what = "Kernel counters before and after: they must stay flat, else conntrack dropped the packets"
        missing.append(MissingPart(what=what, command="conntrack -S; sleep 60; conntrack -S"))
    if not any(d.dump.filter_rules for d in facts.node.dumps):
        what = "The rules of the node with their counters: the rising one drops them"
        missing.append(MissingPart(what=what, command="nft list ruleset; iptables-save -c"))
    what = "The kernel function that drops the packet: it identifies the rule, program or queue"
    command = "perf record -e skb:kfree_skb -a -g -- sleep 30; perf script"
    return [*missing, MissingPart(what=what, command=command)]
