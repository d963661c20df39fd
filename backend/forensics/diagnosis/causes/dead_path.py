"""One of several next hops is dead: SYNs that leave by one interface stay unanswered, those by another are answered.

Equal routes share connections by a hash (net/ipv4/route.c, fib_multipath_hash(): addresses, with
fib_multipath_hash_policy 1 ports, too). A next hop that accepts frames and loses them keeps its share: the kernel
removes a route only when its link goes down or its neighbor entry fails (fib_multipath_use_neigh)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.diagnosis.loss_rivals import list_rivals
from backend.forensics.diagnosis.lost_syns import (
    about,
    figures_of,
    impact_of,
    loss_evidence,
    lossy,
    one_instance,
)
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.losses.destinations import Destination
from backend.forensics.evidence.split_outcomes import SplitWays, find_split_ways
from backend.forensics.findings import plural
from backend.forensics.report import MissingPart, RemedyPart
from backend.forensics.wording import p_text

CAUSE = "dead-path"
TITLE = "One of several paths is dead"
ALTERNATIVES: Final = (
    Alternative(
        "One of several backends does not respond",
        "failed and successful connections leave by the same interface",
    ),
    Alternative(
        "Packet loss on the path",
        "SYN retransmissions of a connection pass as often as first SYNs; on a dead path none does",
    ),
)
COLLECT: Final = (
    MissingPart(
        what="The equal routes, and whether each next hop answers",
        command="ip route show; ip -s neigh; sysctl net.ipv4.fib_multipath_hash_policy",
    ),
)
PRIOR = -2.0

REFERENCES = (
    "Documentation/networking/ip-sysctl.rst: fib_multipath_hash_policy, fib_multipath_use_neigh",
    "net/ipv4/route.c: fib_multipath_hash()",
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """One hypothesis per endpoint whose SYNs are lost behind one interface and answered by another."""
    found = []
    for d in facts.destinations:
        ways = find_split_ways(facts, d) if d.opened and not d.silent and not d.others else None
        if ways is not None:
            found.append(_hypothesis(facts, findings, d, ways))
    return found


def _hypothesis(facts: Facts, findings: Sequence[Case], d: Destination, ways: SplitWays) -> Hypothesis:
    own = [d.losses[number] for number in ways.losses]
    links = tuple(sorted({loss.attempt.link for loss in own}))
    living = f"{plural(ways.answered, 'connection')} opened with the first SYN by {ways.living.word}"
    if ways.lost_living:
        living = f"{living}, where {plural(ways.lost_living, 'SYN')} got no answer"
    text = (
        f"{plural(ways.lost, 'SYN')} to {d.endpoint} left by {ways.dead.word}, none was answered; "
        f"{living} ({p_text(ways.p_value)})."
    )
    reason = "chance does not choose an interface; Fisher's exact test"
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="loss",
        statement=(
            f"{plural(ways.lost, 'SYN')} to {d.endpoint} left by {ways.dead.word} and none was answered, while others "
            f"that left by {ways.living.word} were."
        ),
        prior=PRIOR,
        steps=tuple(one_instance(d)),
        weighed=(Weighed(3.4, text, loss_evidence(d, own), reason), *lossy(facts, d)),
        both_sides=False,
        independent=False,
        signs=1,
        findings=about(findings, d),
        time_lost_s=0.0,
        rivals=list_rivals(facts, d, "snat-port-race", "firewall-drop"),
        missing=(
            MissingPart(
                what="The equal routes, and whether each next hop answers",
                command="ip route show; ip -s neigh; sysctl net.ipv4.fib_multipath_hash_policy",
            ),
            MissingPart(
                what="A trace over each of the interfaces", command="traceroute -T -i INTERFACE -p PORT HOST"
            ),
        ),
        remedies=(
            RemedyPart(
                what="Remove the dead next hop from the route: put it back when it forwards",
                applies_to=f"the host that sends by {ways.dead.word}",
                check="ip route show",
                proof="every new connection opens with its first SYN",
                undo="Restore the previous route",
                side_effect="the other paths carry its share of the traffic",
            ),
            RemedyPart(
                what="Let the kernel avoid next hops whose neighbor entry failed",
                command="sysctl -w net.ipv4.fib_multipath_use_neigh=1",
                applies_to="the host with the equal routes; helps only where the next hop does not answer ARP",
                check="sysctl net.ipv4.fib_multipath_use_neigh",
                proof="traffic leaves by the other interfaces while the entry is FAILED",
                undo="sysctl -w net.ipv4.fib_multipath_use_neigh=0",
                side_effect="connections move when a neighbor entry changes its state",
                versions="Linux \u2265 4.7",
            ),
        ),
        references=REFERENCES,
        refutation=f"it would be refuted by an answer to a SYN that left by {ways.dead.word}",
        figures=figures_of(facts, d),
        impact=impact_of(facts, d),
        attempts=links,
    )
