"""Words that are shown behind every link."""

from __future__ import annotations

import re

HIDDEN = "•••"
INTERFACE = re.compile(
    r"any|lo|(?:interface |(?:br|cni|eth|em|wlan|docker|veth|cali|lxc|tunl|tun|tap|wg|bond|team|vlan|gre|ifb|vxlan|"
    r"geneve|flannel|kube-ipvs|ipvs|ovs|nodelocaldns))(?:[-_.@:]|if|[0-9a-f])*|(?:en|wl)[ops]\d[\dsfdnp@if.]*|"
    r"cilium_(?:host|net|vxlan)|lxc_health|docker_gwbridge|vxlan\.calico|ovs-system|cni-podman\d+"
)
"""Names that kernels and network plugins give, with numbers at most; others are somebody's words, a file's, or, as
``enx…``, hold a hardware address."""
