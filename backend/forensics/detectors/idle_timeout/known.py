"""Idle time-outs of things on the way that forget connections."""

from __future__ import annotations

KNOWN_S = (
    (60.0, "AWS Application Load Balancer, and `timeout client` of many proxies"),
    (240.0, "Azure Load Balancer and NAT gateway"),
    (350.0, "AWS Network Load Balancer and NAT gateway"),
    (600.0, "Google Cloud's connection tracking"),
    (900.0, "IPVS (ipvsadm --set, tcp)"),
    (1_200.0, "Google Cloud NAT"),
    (3_600.0, "Envoy"),
    (432_000.0, "Linux conntrack (nf_conntrack_tcp_timeout_established)"),
)
"""(s, whose default it is): AWS Elastic Load Balancing and VPC guides, "connection idle timeout"; Azure Load Balancer,
"TCP reset and idle timeout"; Google Cloud VPC, "connection tracking" and Cloud NAT, "timeouts"; ipvsadm(8); Envoy,
`idle_timeout`; Linux, Documentation/networking/nf_conntrack-sysctl.rst."""


def fitting(survived_s: float, died_s: float) -> tuple[float, str] | None:
    """The known time-out above the longest silence that a connection survived and not above the shortest that it did
    not: the largest such, None without one."""
    found = [each for each in KNOWN_S if survived_s < each[0] <= died_s]
    return found[-1] if found else None
