"""How to end the race: from the user's own rule where the dump has it, else by the setting of the network
plugin."""

from __future__ import annotations

import shlex

from backend.forensics.dumps import NatRule
from backend.forensics.evidence.facts import Facts
from backend.forensics.report import RemedyPart

CHECK = "iptables-save -t nat | grep -E 'MASQUERADE|SNAT'"
PROOF = "conntrack -S: insert_failed must stop rising; capture 60 s again and compare"
SIDE_EFFECT = "source ports are no longer kept"
RULES_SHOWN = 3


def list_remedies(facts: Facts) -> list[RemedyPart]:
    """The user's own rules first, then the settings of the plugins that write such rules."""
    own = [
        rule
        for _, rule in facts.kernel.nat_rules()
        if rule.target in ("MASQUERADE", "SNAT") and not rule.fully_random
    ]
    unique = list({rule.text: rule for rule in own}.values())
    # The same rule in both dump forms is one rule; iptables-save is the form that can be typed back.
    typed = [rule for rule in unique if rule.syntax == "iptables"] or unique
    remedies = [_own_rule(rule) for rule in typed[:RULES_SHOWN]]
    return [*remedies, *_plugins()]


def _own_rule(rule: NatRule) -> RemedyPart:
    if rule.syntax == "nft":
        return RemedyPart(
            what="Add the flag to your own rule",
            command=None,
            applies_to="nftables",
            check="nft list ruleset | grep -E 'masquerade|snat'",
            proof=PROOF,
            undo="the same rule without fully-random",
            side_effect=SIDE_EFFECT,
            versions=None,
        )
    # The text comes from an upload: every word is quoted again before it becomes a command.
    words = [shlex.quote(word) if word != "!" else word for word in _words(rule.text)]
    rest = " ".join(words[2:]) if words[:1] == ["-A"] else " ".join(words)
    chain = words[1] if words[:1] == ["-A"] else shlex.quote(rule.chain)
    insert = f"iptables -t nat -I {chain} {rest} --random-fully"
    delete = f"iptables -t nat -D {chain} {rest}"
    return RemedyPart(
        what="Insert your own rule again with --random-fully, then delete the old one",
        command=f"{insert} && {delete}",
        applies_to="plain iptables",
        check=CHECK,
        proof=PROOF,
        undo=f"iptables -t nat -I {chain} {rest} && iptables -t nat -D {chain} {rest} --random-fully",
        side_effect=(
            f"{SIDE_EFFECT}; lost at reboot or when the plugin writes its rules again: set it there, too"
        ),
        versions="iptables ≥ 1.6.2",
    )


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def _plugins() -> list[RemedyPart]:
    return [
        RemedyPart(
            what="Upgrade flannel: it sets the flag by itself",
            command="kubectl -n kube-flannel get daemonset -o jsonpath='{..image}'",
            applies_to="flannel",
            check=CHECK,
            proof=PROOF,
            undo="the former version",
            side_effect=SIDE_EFFECT,
            versions="flannel ≥ 0.11.0, iptables ≥ 1.6.2 in its image",
        ),
        RemedyPart(
            what="Upgrade kube-proxy: it sets the flag by itself, silently not when its iptables is too old",
            command="kubectl -n kube-system logs -l k8s-app=kube-proxy | grep random-fully",
            applies_to="kube-proxy",
            check=CHECK,
            proof=PROOF,
            undo="the former version",
            side_effect=SIDE_EFFECT,
            versions="kube-proxy ≥ 1.16, iptables ≥ 1.6.2 in its image",
        ),
        RemedyPart(
            what="Let the AWS VPC CNI choose ports at random",
            command="kubectl -n kube-system set env daemonset/aws-node AWS_VPC_K8S_CNI_RANDOMIZESNAT=prng",
            applies_to="VPC CNI",
            check=CHECK,
            proof=PROOF,
            undo="kubectl -n kube-system set env daemonset/aws-node AWS_VPC_K8S_CNI_RANDOMIZESNAT-",
            side_effect=f"{SIDE_EFFECT}; ip_local_port_range is ignored, which matters for network ACLs",
            versions="prng is the default since mid-2020",
        ),
    ]
