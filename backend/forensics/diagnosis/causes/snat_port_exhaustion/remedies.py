"""How to have more ports, or to need fewer."""

from __future__ import annotations

from backend.forensics.diagnosis.causes.snat_port_exhaustion.evidence import Shortage
from backend.forensics.diagnosis.own_rules import CHECK, CHECK_NFT, NOT_KEPT, without_port_range
from backend.forensics.diagnosis.shared_remedies import keep_connections_open
from backend.forensics.evidence.facts import Facts
from backend.forensics.report import RemedyPart

PROOF = "conntrack -S: insert_failed must stop rising; capture 60 s again and compare"


def list_remedies(facts: Facts, found: Shortage) -> list[RemedyPart]:
    """The range first where the user's own rule limits it."""
    return [
        *_own_rules(facts, found),
        _addresses(found),
        keep_connections_open(
            check="conntrack -E -e NEW -p tcp", proof=PROOF, shorter_than="the server's and conntrack's"
        ),
        _time_wait(),
    ]


def _own_rules(facts: Facts, found: Shortage) -> list[RemedyPart]:
    texts = {text for _, _, text in found.pool.range.rules}
    rules = list({r.text: r for _, r in facts.node.nat_rules() if r.text in texts}.values())
    typed = [r for r in rules if r.syntax == "iptables"] or rules
    remedies = []
    for rule in typed:
        change = without_port_range(rule) if rule.syntax == "iptables" else None
        remedies.append(
            RemedyPart(
                what="Remove the port range from your rule: insert it without the range, then delete the old one",
                command=change.command if change else None,
                applies_to="plain iptables" if rule.syntax == "iptables" else "nftables",
                check=CHECK if rule.syntax == "iptables" else CHECK_NFT,
                proof=PROOF,
                undo=change.undo if change else "Restore the previous rule",
                side_effect=f"other source ports: firewalls that allow the old range must be updated; {NOT_KEPT}",
            )
        )
    return remedies[:3]


def _addresses(found: Shortage) -> RemedyPart:
    return RemedyPart(
        what="Add SNAT addresses: each has its own ports for every destination",
        applies_to="plain iptables",
        check=f"conntrack -L -p tcp --orig-port-dst {found.pool.destination.port} | wc -l",
        proof=PROOF,
        undo="Remove the address from the rule",
        side_effect="other source addresses: firewalls that allow the old address must be updated",
    )


def _time_wait() -> RemedyPart:
    key = "net.netfilter.nf_conntrack_tcp_timeout_time_wait"
    return RemedyPart(
        what="Shorten the conntrack timeout of closed connections: a port is free when its entry expires",
        command=f"sysctl -w {key}=60",
        applies_to="node",
        check=f"sysctl {key}",
        proof=PROOF,
        undo=f"sysctl -w {key}=120",
        side_effect="below the server's own TIME-WAIT (60 s on Linux) its old connections are hit",
    )
