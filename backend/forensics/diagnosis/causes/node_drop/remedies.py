"""How to find what drops the packets, and to change the rule that does."""

from __future__ import annotations

from backend.forensics.diagnosis.causes.node_drop.evidence import NodeLosses
from backend.forensics.private_words import of_file, of_rule
from backend.forensics.report import RemedyPart

PROOF = "capture 60 s again: every SYN must be captured on both sides of the node"
RULES_SHOWN = 3


def list_remedies(found: NodeLosses) -> list[RemedyPart]:
    """The rules that could do it first, then how to catch the drop in the act."""
    port = found.victims.server.port
    remedies = [
        RemedyPart(
            what=f"Review your rule, line {rule.line} of {of_file(name)}: {of_rule(rule.text)}",
            applies_to="nftables" if rule.syntax == "nft" else "plain iptables",
            check="nft list ruleset" if rule.syntax == "nft" else "iptables-save -c",
            proof=f"{PROOF}; the rule's counter must stay flat",
            undo="Restore the rule",
            side_effect="traffic that the rule blocked is allowed",
        )
        for name, rule in found.rules[:RULES_SHOWN]
    ]
    trace = RemedyPart(
        what="Trace a few of these packets through the rules: the trace shows the rule that drops them",
        command=f"iptables -t raw -A PREROUTING -p tcp --dport {port} --syn -j TRACE; xtables-monitor --trace",
        applies_to="any",
        check="nft list ruleset; iptables-save -c; tc -s filter show dev eth0 ingress; bpftool net",
        proof=PROOF,
        undo=f"iptables -t raw -D PREROUTING -p tcp --dport {port} --syn -j TRACE",
        side_effect="one log line per rule and traced packet: enable it only for minutes",
        versions="xtables-monitor belongs to iptables-nft",
    )
    return [*remedies, trace]
