"""How to end the race: from the user's own rule where the dump has it, else by the setting of the network
plugin."""

from __future__ import annotations

from backend.forensics.diagnosis.own_rules import (
    CHECK,
    CHECK_NFT,
    NOT_KEPT,
    RULES_SHOWN,
    source_nat_rules,
    with_flag,
)
from backend.forensics.dumps import NatRule
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kernel.kubernetes_versions import node_versions
from backend.forensics.report import RemedyPart

PROOF = "conntrack -S: insert_failed must stop rising; capture 60 s again and compare"
KUBE_PROXY_FROM = (1, 16)
"""Kubernetes issue 78547, milestone 1.16."""
SIDE_EFFECT = "source ports are no longer kept"


def list_remedies(facts: Facts) -> list[RemedyPart]:
    """The user's own rules first, then the settings of the plugins that write such rules."""
    own = [rule for rule in source_nat_rules(facts) if not rule.fully_random]
    return [*(_own_rule(rule) for rule in own[:RULES_SHOWN]), *_plugins(facts)]


def _own_rule(rule: NatRule) -> RemedyPart:
    if rule.syntax == "nft":
        return RemedyPart(
            what="Add the flag `fully-random` to your rule",
            command=None,
            applies_to="nftables",
            check=CHECK_NFT,
            proof=PROOF,
            undo="Restore the rule without fully-random",
            side_effect=SIDE_EFFECT,
            versions=None,
        )
    change = with_flag(rule, "--random-fully")
    return RemedyPart(
        what="Add `--random-fully` to your rule: insert the new rule, then delete the old one",
        command=change.command,
        applies_to="plain iptables",
        check=CHECK,
        proof=PROOF,
        undo=change.undo,
        side_effect=f"{SIDE_EFFECT}; {NOT_KEPT}",
        versions="iptables ≥ 1.6.2",
    )


def _plugins(facts: Facts) -> list[RemedyPart]:
    return [
        RemedyPart(
            what="Upgrade flannel: newer versions set the flag",
            command="kubectl -n kube-flannel get daemonset -o jsonpath='{..image}'",
            applies_to="flannel",
            check=CHECK,
            proof=PROOF,
            undo="Restore the previous version",
            side_effect=SIDE_EFFECT,
            versions="flannel ≥ 0.11.0, iptables ≥ 1.6.2 in its image",
        ),
        _kube_proxy(facts),
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
        RemedyPart(
            what="Upgrade Calico: newer versions set the flag in their masquerade rules",
            command="kubectl -n calico-system get daemonset calico-node -o jsonpath='{..image}'",
            applies_to="Calico",
            check=CHECK,
            proof=PROOF,
            undo="Restore the previous version",
            side_effect=SIDE_EFFECT,
            versions="seen in Calico 3.23.5; iptables ≥ 1.6.2 in its image",
        ),
    ]


def _kube_proxy(facts: Facts) -> RemedyPart:
    """It asks the iptables of its image for the version, and leaves the flag out silently where that is too old."""
    known = node_versions(facts.node)
    what = "Upgrade kube-proxy: newer versions set the flag, unless their iptables is too old"
    if known is not None and known.all_carry(KUBE_PROXY_FROM):
        what = "Check why kube-proxy omits the flag although its version sets it: the iptables in its image is too old"
    return RemedyPart(
        what=what,
        command="kubectl -n kube-system logs -l k8s-app=kube-proxy | grep random-fully",
        applies_to="kube-proxy",
        check=CHECK,
        proof=PROOF,
        undo="Restore the previous version",
        side_effect=SIDE_EFFECT,
        versions="kube-proxy ≥ 1.16, iptables ≥ 1.6.2 in its image",
    )
