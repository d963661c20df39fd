"""Idle time-outs of things on the way that forget connections."""

from __future__ import annotations

KNOWN_S = (
    (240.0, "Azure Load Balancer and NAT gateway"),
    (350.0, "AWS Network Load Balancer and NAT gateway"),
    (600.0, "Google Compute Engine's connection tracking"),
    (900.0, "IPVS (ipvsadm --set, tcp)"),
    (1_200.0, "Google Cloud NAT"),
    (432_000.0, "Linux conntrack (nf_conntrack_tcp_timeout_established)"),
)
"""(s, whose default it is), read in:

- 240: learn.microsoft.com/azure/load-balancer/load-balancer-tcp-idle-timeout and azure/nat-gateway/nat-gateway-resource
- 350: docs.aws.amazon.com/elasticloadbalancing/latest/network/update-idle-timeout.html (60 to 6,000 s can be set) and
  docs.aws.amazon.com/vpc/latest/userguide/nat-gateway-troubleshooting.html
- 600: cloud.google.com/compute/docs/troubleshooting/general-tips
- 900: Linux net/netfilter/ipvs/ip_vs_proto_tcp.c, `tcp_timeouts`
- 1,200: compute.googleapis.com v1, `RouterNat.tcpEstablishedIdleTimeoutSec`
- 432,000: Linux Documentation/networking/nf_conntrack-sysctl.rst

Proxies (AWS Application Load Balancer 60 s, Envoy 1 h) are left out: they close an idle connection instead of
forgetting it, and both ends know."""


def fitting(survived_s: float, died_s: float) -> tuple[float, str] | None:
    """The known time-out above the longest silence that a connection survived and not above the shortest that it did
    not: the largest such, None without one."""
    found = [each for each in KNOWN_S if survived_s < each[0] <= died_s]
    return found[-1] if found else None
