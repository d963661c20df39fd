"""How to keep ports from coming round too early."""

from __future__ import annotations

from backend.forensics.diagnosis.own_rules import CHECK, NOT_KEPT, source_nat_rules, without_port_range
from backend.forensics.diagnosis.shared_remedies import keep_connections_open
from backend.forensics.evidence.facts import Facts
from backend.forensics.report import RemedyPart

PROOF = (
    "capture 60 s again: no SYN may be answered by an ACK without SYN, and every connection must open "
    "with its first SYN"
)


def list_remedies(facts: Facts) -> list[RemedyPart]:
    """The range first where a rule limits it, then what asks for fewer ports."""
    remedies = []
    for rule in source_nat_rules(facts):
        if rule.port_range is None:
            continue
        change = without_port_range(rule)
        remedies.append(
            RemedyPart(
                what="Remove the port range from your rule: insert it without the range, then delete the old one",
                command=change.command if change else None,
                applies_to="plain iptables" if rule.syntax == "iptables" else "nftables",
                check=CHECK if rule.syntax == "iptables" else "nft list ruleset",
                proof=PROOF,
                undo=change.undo if change else "Restore the previous rule",
                side_effect=f"other source ports: firewalls that allow the old range must be updated; {NOT_KEPT}",
            )
        )
    keep = keep_connections_open(
        check="ss -tan state time-wait | wc -l", proof=PROOF, shorter_than="the server's and conntrack's"
    )
    addresses = RemedyPart(
        what="Add SNAT addresses or destination ports: each pair has its own ports",
        applies_to="any",
        check="conntrack -L -p tcp | wc -l",
        proof=PROOF,
        undo="remove the address",
        side_effect="other source addresses: firewalls that allow the old address must be updated",
    )
    return [*remedies[:3], keep, addresses]
