"""Lookups whose queries vanish inside the node: a rule or program drops them, since conntrack counted nothing."""

from __future__ import annotations

from collections.abc import Sequence

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.causes.node_drop.rules import dropping_query_rules
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.counted import brackets, delta_lines
from backend.forensics.diagnosis.queries.rivals import list_rivals
from backend.forensics.diagnosis.queries.trouble import (
    RULES,
    Trouble,
    between,
    collect_troubles,
    lossy,
    lost_frames,
    one_node,
    query_frames,
    story,
)
from backend.forensics.dumps import FilterRule
from backend.forensics.evidence.dns.lost_queries import LostQuery
from backend.forensics.evidence.facts import Facts
from backend.forensics.findings import line_evidence, plural
from backend.forensics.private_words import of_file, of_rule
from backend.forensics.report import ClaimPart, MissingPart, RemedyPart

COUNTED_RATIO = 0.5
PROOF = "capture port 53 for 60 s again: every query must be captured on both sides of the node"
WHERE_FREED = MissingPart(
    what="The kernel function that drops the packet: it identifies the rule, program or queue",
    command="perf record -e skb:kfree_skb -a -g -- sleep 30; perf script",
)


def assess_queries(
    facts: Facts,
    findings: Sequence[Case],
    cause: str,
    title: str,
    prior: float,
    references: tuple[str, ...],
) -> list[Hypothesis]:
    """One hypothesis per resolver whose queries were lost between two vantage points of one node."""
    found = []
    for trouble in collect_troubles(facts, findings):
        inside = [q for q in trouble.inside if one_node(facts, q)]
        if inside:
            found.append(_hypothesis(facts, trouble, inside, cause, title, prior, references))
    return found


def _hypothesis(
    facts: Facts,
    trouble: Trouble,
    inside: list[LostQuery],
    cause: str,
    title: str,
    prior: float,
    references: tuple[str, ...],
) -> Hypothesis:
    lookups = trouble.lookups(inside)
    flat, rise, counters = _counters(facts, inside)
    rules = dropping_query_rules(facts.node, trouble.dns, inside)
    hit, rule_pieces = _rules(rules)
    inner, outer = between(inside)
    place = Weighed(
        1.7,
        f"{plural(len(inside), 'query', 'queries')} captured on {inner}, absent on {outer}, where others pass.",
        query_frames(inside, pairs=True),
        "both vantage points are in the node",
    )
    pieces = [place, *counters, *rule_pieces, *_pairs(inside), *lossy(facts, query_frames(inside))]
    names = ("dnat-race", "resolver-unresponsive", "slow-resolver", "path-loss", "conntrack-full")
    silent = ", and conntrack counted no drop" if flat else ""
    return Hypothesis(
        cause=cause,
        title=title,
        role="loss",
        statement=f"{trouble.hurt(lookups)}: their queries were lost inside the node{silent}.",
        prior=prior,
        steps=(*story(trouble, lookups, inside), *_rule_step(rules)),
        weighed=tuple(pieces),
        both_sides=True,
        independent=hit,
        signs=int(flat) + int(bool(rules)),
        findings=trouble.findings,
        time_lost_s=trouble.lost_s(lookups),
        rivals=list_rivals(facts, trouble, inside, *names, counted=rise, flat=flat),
        missing=(*(() if rules else (RULES,)), WHERE_FREED),
        remedies=tuple(_remedies(rules)),
        references=references,
        refutation="it would be refuted by insert_failed or drop rising with the lost queries",
        figures=trouble.figures(lookups),
        impact=trouble.impact(lookups),
        explains=lost_frames(inside),
    )


def _counters(facts: Facts, inside: list[LostQuery]) -> tuple[bool, bool, list[Weighed]]:
    """(flat, risen with the losses, pieces)."""
    delta = facts.node.delta
    if delta is None or "insert_failed" not in delta.deltas:
        return False, False, []
    failed, dropped = delta.deltas["insert_failed"], delta.deltas.get("drop", 0)
    lost = plural(len(inside), "query", "queries")
    shown = f"insert_failed +{failed:,}, drop +{dropped:,} {delta.between_dumps}, {lost} lost here"
    if max(failed, dropped) >= COUNTED_RATIO * len(inside):
        text = f"{shown}: conntrack counted them."
        return False, True, [Weighed(-4.0, text, delta_lines(delta), "a drop by a rule is not counted there")]
    around = brackets(facts.node, delta, inside[0].time_ns, inside[-1].time_ns)
    text = f"{shown}: the kernel counted no failed insertion."
    reason = "every packet that conntrack drops is counted there" + (
        "" if around else "; read at another time"
    )
    return around, False, [Weighed(1.3 if around else 0.3, text, delta_lines(delta), reason)]


def _rules(rules: Sequence[tuple[str, FilterRule]]) -> tuple[bool, list[Weighed]]:
    if not rules:
        return False, []
    lines = line_evidence((name, rule.line) for name, rule in rules)
    rule = max((rule for _, rule in rules), key=lambda r: r.packets or 0)
    if rule.packets:
        text = f"A rule that matches these queries has dropped {rule.packets:,} packets: {of_rule(rule.text)}"
        return True, [Weighed(1.5, text, lines, "the rule exists and matched packets")]
    text = f"A rule that matches these queries drops packets: {of_rule(rule.text)}"
    return False, [Weighed(0.8, text, lines, "it exists; the dump shows no packets counted yet")]


def _pairs(inside: Sequence[LostQuery]) -> list[Weighed]:
    alone = [q for q in inside if q.pair_ns is None]
    if not alone:
        return []
    text = f"{len(alone):,} of {len(inside):,} were the only pending query of their socket."
    reason = "a race for one entry needs a pair of packets; a rule does not"
    return [Weighed(0.5, text, query_frames(alone), reason)]


def _rule_step(rules: Sequence[tuple[str, FilterRule]]) -> list[ClaimPart]:
    if not rules:
        return []
    lines = line_evidence((name, rule.line) for name, rule in rules)
    text = f"A rule of the node drops packets on that path: {of_rule(rules[0][1].text)}"
    return [ClaimPart(role="step", text=text, evidence=lines)]


def _remedies(rules: Sequence[tuple[str, FilterRule]]) -> list[RemedyPart]:
    own = [
        RemedyPart(
            what=f"Review your rule, line {rule.line} of {of_file(name)}: {of_rule(rule.text)}",
            applies_to="nftables" if rule.syntax == "nft" else "plain iptables",
            check="nft list ruleset" if rule.syntax == "nft" else "iptables-save -c",
            proof=f"{PROOF}; the rule's counter must stay flat",
            undo="Restore the rule",
            side_effect="traffic that the rule blocked is allowed",
        )
        for name, rule in rules[:3]
    ]
    trace = RemedyPart(
        what="Trace a few queries through the rules: the trace shows the rule that drops them",
        command="iptables -t raw -A PREROUTING -p udp --dport 53 -j TRACE; xtables-monitor --trace",
        applies_to="any",
        check="nft list ruleset; iptables-save -c; tc -s qdisc show; bpftool net",
        proof=PROOF,
        undo="iptables -t raw -D PREROUTING -p udp --dport 53 -j TRACE",
        side_effect="one log line per rule and traced packet: enable it only for minutes",
        versions="xtables-monitor belongs to iptables-nft",
    )
    return [*own, trace]
