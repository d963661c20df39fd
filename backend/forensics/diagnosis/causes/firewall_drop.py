"""A rule drops every SYN of one combination of source, destination and port; the host itself is up.

A rule that rejects sends an error (ICMP type 3 codes 9, 10, 13: RFC 1812 section 5.2.7.1; ICMPv6 type 1 code 1: RFC
4443); one that drops is distinguished from a dead host only by the host's other responses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.listed_causes import ListedCause
from backend.forensics.diagnosis.loss_rivals import list_rivals
from backend.forensics.diagnosis.lost_syns import (
    CAPTURE_BOTH_SIDES,
    FILTER_RULES,
    SOURCE_COUNTERS,
    about,
    address_is_twice,
    figures_of,
    hops_of,
    hurt,
    impact_of,
    life_of,
    loss_evidence,
    lossy,
    of_kind,
    one_instance,
)
from backend.forensics.diagnosis.traced_drops import (
    LINES_MOST,
    dropped_in_words,
    traced_hypotheses,
    traced_syns,
)
from backend.forensics.evidence.absence.losses import ANSWERED
from backend.forensics.evidence.attempts.icmp_errors import PROHIBITED
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kernel.drop_rules import list_syn_rules
from backend.forensics.evidence.losses.destinations import Destination
from backend.forensics.findings import frame_evidence, line_evidence, plural
from backend.forensics.private_words import of_rule
from backend.forensics.report import RemedyPart

CAUSE = "firewall-drop"
TITLE = "Dropped by a firewall rule"
ALTERNATIVES: Final = (
    Alternative(
        "A host that is down",
        "nothing of it is heard; behind a rule, other ports or other sources are answered",
    ),
    Alternative(
        "One of several backends does not respond",
        "some connections of the same source to the same port open at once",
    ),
)
PRIOR = -2.0
"""A silent port on a living host is a rule more often than anything else, but a lost packet is silent, too."""
SEVERAL_SYNS = 3
"""One SYN can get lost on any path; three over several seconds do not."""
REPEATED_ATTEMPTS = 2
LINK_CEILING = 0.49
"""Of a host that answers ARP elsewhere: a filter, a path and a second host with the address look alike."""
SOURCE_CEILING = 0.49
"""Without a rule in evidence. Checksums that a source's card leaves unfilled, and a reverse-path filter, make a host
silent for one source as a rule does."""
_RULE = re.compile(
    r"^verdict drop$|^(?:NETFILTER_DROP|IPTABLE_RULE_DROP|XDP|TC_INGRESS|TC_EGRESS|BPF_CGROUP_EGRESS)$|policy[ _]den|"
    r"(?<!rp)(?<!reverse )(?:filter|forward|input|output|firewall|ufw|policy|iptables|nft)\w*[ _-]{0,3}"
    r"(?:drop|block|reject|den)",
    re.IGNORECASE,
)
"""Reasons of include/net/dropreason-core.h and Cilium, and prefixes of LOG rules that say what the next rule does."""
_TRACED_COMMAND = (
    "iptables-save -c; nft list ruleset; kubectl get networkpolicies -A; hubble observe --verdict DROPPED"
)

REFERENCES = (
    "RFC 9293 section 3.10.7.1: without a filter a closed port answers with RST",
    "RFC 1812 section 5.2.7.1: ICMP codes 9, 10 and 13, administratively prohibited",
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per combination that was never answered while its host was heard; without captures one per host
    whose tracer saw drops by rules."""
    found = [_hypothesis(facts, findings, d) for d in facts.destinations if _fits(facts, d)]
    traced = traced_hypotheses(
        facts, _TRACED, lambda event: _RULE.search(event.reason) is not None, _TRACED_COMMAND
    )
    return [*found, *traced]


def _fits(facts: Facts, d: Destination) -> bool:
    """Silence on a living host, an error that names the rule, or a rule that counted these SYNs."""
    listed = life_of(facts, d)
    if not d.silent or of_kind(d, *ANSWERED) or listed.dropped:
        return False
    if listed.filtered or _prohibited(facts, d) or _traced(facts, d):
        return True
    return (_answers(d) or bool(listed.alive)) and not address_is_twice(facts, d)


def _hypothesis(facts: Facts, findings: Sequence[Case], d: Destination) -> Hypothesis:
    prohibited, rules = _prohibited(facts, d), [*_rules(facts, d), *_traced(facts, d)]
    by_source = _only_the_source(d) and not prohibited and not rules
    pieces = [*_place(d), *_life(facts, d), *_often(d), *prohibited, *rules, *lossy(facts, d)]
    names = ("listen-overflow", "path-loss", "return-path-loss", "target-unresponsive", "conntrack-full")
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="loss",
        statement=_statement(d, rejected=bool(prohibited), counted=bool(rules)),
        prior=PRIOR,
        steps=tuple(one_instance(d)),
        weighed=tuple(pieces),
        both_sides=bool(prohibited) or bool(of_kind(d, "beyond", "inside")),
        independent=bool(prohibited or rules),
        signs=int(bool(prohibited)) + int(bool(rules)),
        findings=about(findings, d),
        time_lost_s=0.0,
        rivals=()
        if prohibited or _traced(facts, d) or life_of(facts, d).filtered
        else list_rivals(facts, d, *names),
        missing=((SOURCE_COUNTERS,) if by_source else ()) + (FILTER_RULES, CAPTURE_BOTH_SIDES),
        remedies=_remedies(d),
        references=REFERENCES,
        refutation="it would be refuted by one connection from the same source that opens",
        figures=figures_of(facts, d),
        impact=impact_of(facts, d),
        attempts=d.links,
        ceiling=LINK_CEILING
        if not prohibited and not rules and _only_its_link_is_known(facts, d)
        else (SOURCE_CEILING if by_source else 0.999),
    )


def _statement(d: Destination, *, rejected: bool, counted: bool) -> str:
    others = ", while the host answered others" if _answers_others(d) else ""
    if rejected:
        return f"{hurt(d)} got ICMP errors{others}: a rule rejects this source, address and port."
    rule = "a rule" if counted else "probably a rule"
    return f"{hurt(d)} got no response{others}: {rule} drops this source, address and port."


def _only_the_source(d: Destination) -> bool:
    """Others were answered on this port, these sources on none of the host, and the SYNs were not lost before it."""
    return d.opened + d.refused > 0 and not d.source_answered and not of_kind(d, "inside")


def _answers(d: Destination) -> bool:
    return d.heard_after or d.opened > 0 or d.refused > 0


def _answers_others(d: Destination) -> bool:
    return (d.heard_after and not d.heard_by_neighbors_only) or d.opened > 0 or d.refused > 0


def _only_its_link_is_known(facts: Facts, d: Destination) -> bool:
    """The host answered ARP where these SYNs were not seen: what lies between is not known."""
    listed = life_of(facts, d)
    if not d.heard_by_neighbors_only or listed.alive or listed.filtered:
        return False
    return d.outermost.input not in {name for name, _ in d.life}


def _place(d: Destination) -> list[Weighed]:
    if d.one_sided:
        text = f"{d.syns:,} SYNs seen on {d.outermost.word}, none answered; what happened behind it was not captured."
        return [Weighed(0.3, text, loss_evidence(d), "one vantage point cannot show where a SYN was lost")]
    places = ", ".join(dict.fromkeys(d.losses.places))
    text = f"Every SYN of this combination was lost: {places}."
    return [Weighed(1.0, text, loss_evidence(d), "a rule drops at one point, and drops all")]


def _life(facts: Facts, d: Destination) -> list[Weighed]:
    pieces = []
    if d.heard_after:
        also = (
            f"{d.neighbours_answered} attempts to its other ports were answered"
            if d.neighbours_answered
            else ""
        )
        if d.heard_by_neighbors_only:
            also = "it answered ARP or neighbor discovery at that time"
        text = f"The host is up: {also or 'other packets from it were captured at that time'}."
        reason = "a host that is up and unfiltered answers every SYN, at least with RST"
        pieces.append(Weighed(1.4, text, frame_evidence(d.life), reason))
    reason = "a host that is up and unfiltered answers every SYN, at least with RST"
    signs = life_of(facts, d).alive
    for weight, sign in zip((0.6, 0.4) if d.heard_after else (1.4, 0.4), signs, strict=False):
        pieces.append(Weighed(weight, f"The host is up: {sign.text}", line_evidence(sign.lines), reason))
    if d.opened or d.refused:
        text = (
            f"Other sources were answered on the same port: {d.opened + d.refused:,} of {d.tried:,} attempts."
        )
        weight = 0.8 if d.attempts_each >= REPEATED_ATTEMPTS or d.syns_each > SEVERAL_SYNS else -0.8
        reason = "the port serves others, so the rule matches the source; with few SYNs it may be chance"
        pieces.append(Weighed(weight, text, loss_evidence(d), reason))
    return pieces


def _often(d: Destination) -> list[Weighed]:
    pieces = []
    if d.syns_each >= SEVERAL_SYNS:
        text = f"{plural(d.syns, 'SYN')} in {plural(len(d.attempts), 'attempt')}, not one answered."
        pieces.append(Weighed(0.5, text, loss_evidence(d), "random loss does not affect several in a row"))
    if d.attempts_each >= REPEATED_ATTEMPTS:
        text = f"{plural(len(d.attempts), 'attempt')} at different times all failed."
        pieces.append(Weighed(0.5, text, loss_evidence(d), "an overflowing queue lets some pass"))
    return pieces


def _prohibited(facts: Facts, d: Destination) -> list[Weighed]:
    errors = facts.icmp_errors
    found = errors.about(d.links, PROHIBITED)
    if not len(found):
        return []
    places = facts.attempts.places
    frames = frame_evidence((places[int(errors.place[n])].input, int(errors.rows["frame"][n])) for n in found)
    text = f"{len(found):,} ICMP errors report that communication is administratively prohibited."
    return [Weighed(4.0, text, frames, "reported by the filter itself")]


def _rules(facts: Facts, d: Destination) -> list[Weighed]:
    """Rules of the listings that drop these SYNs: one that counted them, else those without a counter."""
    counted = life_of(facts, d).filtered
    if counted:
        one = max(counted, key=lambda rule: rule.packets)
        text = (
            f"A {one.rule.verdict.upper()} rule matches these SYNs: {of_rule(one.rule.text[:80])}; it counted "
            f"{plural(one.packets, 'packet')}, {plural(d.syns, 'SYN')} stayed unanswered."
        )
        return [Weighed(3.0, text, line_evidence(one.lines), "the rule's own counter")]
    at = facts.kernel_at(d.endpoint).dumps
    dumps = (*at, *(dump for dump in facts.node.dumps if dump not in at))
    rules = [rule for rule in list_syn_rules(dumps, hops_of(d)) if not rule.counted]
    if not rules:
        return []
    first = rules[0].rule
    text = f"A {first.verdict.upper()} rule matches these SYNs: {of_rule(first.text[:80])}"
    lines = line_evidence(line for rule in rules for line in rule.lines)
    return [Weighed(1.5, text, lines, "the dropping rule, unless an earlier one accepts")]


def _traced(facts: Facts, d: Destination) -> list[Weighed]:
    """A tracer that saw these very SYNs dropped by a rule, program or policy."""
    found = [(event, line) for event, line in traced_syns(facts, d) if _RULE.search(event.reason)]
    if not found:
        return []
    text = f"{dropped_in_words(found)} of {len(found):,} of these SYNs."
    lines = line_evidence([line for _, line in found[:LINES_MOST]])
    return [Weighed(3.4, text, lines, "the same addresses and ports, where the packet is freed")]


def _remedies(d: Destination) -> tuple[RemedyPart, ...]:
    proof = "a new connection opens; the counter of the dropping rule stops rising"
    return (
        RemedyPart(
            what="Find the rule by its counter while you connect again, and allow this combination before it",
            command=None,
            applies_to="iptables or nftables on either host or between them",
            check=f"iptables-save -c | grep -E -- '-j (DROP|REJECT)'; nft list ruleset | grep -n -C3 {d.endpoint.port}",
            proof=proof,
            undo="Remove the allowing rule",
            side_effect="this port opens for that source",
            versions=None,
        ),
        RemedyPart(
            what="Allow it in the network policy of the destination's namespace (ingress) and the source's (egress)",
            command="kubectl get networkpolicy -A -o wide",
            applies_to="Kubernetes network policies",
            check="kubectl describe networkpolicy -A",
            proof=proof,
            undo="Restore the previous policy",
            side_effect="a policy selects pods: every pod with these labels becomes reachable",
            versions=None,
        ),
        RemedyPart(
            what="Allow it in the cloud network's security group or network ACL",
            command=None,
            applies_to="cloud networks",
            check="the flow log of the interface: REJECT entries for this port",
            proof=proof,
            undo="Restore the previous rule",
            side_effect="network ACLs are stateless: return traffic needs its own rule for the ephemeral ports",
            versions=None,
        ),
    )


_TRACED = ListedCause(
    cause=CAUSE,
    title=TITLE,
    prior=PRIOR,
    references=("include/net/dropreason-core.h: SKB_DROP_REASON_NETFILTER_DROP", *REFERENCES),
    refutation="it would be refuted by a tracer that shows another reason for the missing packets",
    remedies=(
        RemedyPart(
            what="Find the rule or policy whose counter rises, and let these packets pass before it",
            command=None,
            applies_to="the host whose tracer saw the drops",
            check="iptables-save -c; sleep 10; iptables-save -c   # which counter rises while it fails",
            proof="the tracer shows no further drop of this reason",
            undo="Delete the rule that was added",
            side_effect="what the rule protected from may pass, too",
            versions=None,
        ),
    ),
)
