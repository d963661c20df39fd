"""Whether anything in the evidence speaks of Kubernetes: its advice is of no use to routers and home networks."""

from __future__ import annotations

import re
from typing import Final

from backend.forensics.evidence.facts import Facts

_INTERFACE: Final = re.compile(
    r"^(cni\d|cali[0-9a-f]|cilium|flannel|lxc[0-9a-f]|weave|kube|nodelocaldns|vxlan\.calico|antrea|genev_sys)"
)
"""Names that network plugins give (kubenet, Calico, Cilium, Flannel, Weave, Antrea), and kube-proxy's own."""
_RULE: Final = re.compile(r"KUBE-|cali-|CNI-|CILIUM|FLANNEL|kube-proxy|kubernetes", re.IGNORECASE)
_NAME: Final = re.compile(r"\.svc(\.|$)|\.cluster\.local\.?$")
"""DNS for Services and Pods (kubernetes.io): services are named ``….svc.cluster.local``, whatever the domain."""


def speaks_of_kubernetes(facts: Facts) -> bool:
    """A listing of a node, an interface or a rule of a network plugin, or the name of a service."""
    dumps = [each.dump for each in facts.kernel.dumps]
    if any(dump.component_versions or dump.cluster_nodes for dump in dumps):
        return True
    interfaces = {interface.name for _, interface in facts.kernel.interfaces()}
    interfaces |= {place.name for place in facts.attempts.places}
    if any(map(_INTERFACE.match, interfaces)):
        return True
    if any(_RULE.search(rule.text) for dump in dumps for rule in dump.nat_rules):
        return True
    return any(map(_NAME.search, facts.dns.messages.names))
