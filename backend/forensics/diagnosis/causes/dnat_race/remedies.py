"""How to end the race at a service address."""

from __future__ import annotations

from backend.forensics.diagnosis.own_rules import CHECK, NOT_KEPT, RULES_SHOWN, source_nat_rules, with_flag
from backend.forensics.diagnosis.shared_remedies import keep_connections_open
from backend.forensics.evidence.facts import Facts
from backend.forensics.report import RemedyPart

PROOF = "conntrack -S: insert_failed must stop rising; capture 60 s again and compare"


def list_remedies(facts: Facts) -> list[RemedyPart]:
    """Where the source is translated, too, random ports keep the tuples apart; else avoid the translation."""
    remedies = []
    for rule in source_nat_rules(facts)[:RULES_SHOWN]:
        if rule.fully_random or rule.syntax != "iptables":
            continue
        change = with_flag(rule, "--random-fully")
        remedies.append(
            RemedyPart(
                what="Add `--random-fully` to your rule: insert the new rule, then delete the old one",
                command=change.command,
                applies_to="plain iptables",
                check=CHECK,
                proof=PROOF,
                undo=change.undo,
                side_effect=f"source ports are no longer kept; {NOT_KEPT}",
                versions="iptables ≥ 1.6.2",
            )
        )
    headless = RemedyPart(
        what="Connect to the backends directly: a headless service needs no DNAT",
        applies_to="kube-proxy",
        check="kubectl get service -A -o wide",
        proof=PROOF,
        undo="Restore the previous service",
        side_effect="the client must balance over the backends itself",
    )
    keep = keep_connections_open(
        check="conntrack -E -e NEW -p tcp", proof=PROOF, shorter_than="the server's and conntrack's"
    )
    return [*remedies, keep, headless]
