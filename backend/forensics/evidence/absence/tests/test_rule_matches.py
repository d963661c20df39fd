"""What a rule names must hold the SYN's own address and port; what it leaves open may match."""

from __future__ import annotations

import pytest

from backend.forensics.evidence.kernel.rule_matches import Hop, drops_any

SYN = Hop("10.0.0.7", "10.0.1.9", 8080)
SYN6 = Hop("fd00::7", "fd00:1::9", 8080)


@pytest.mark.parametrize(
    "rule",
    [
        "-A INPUT -p tcp --dport 8080 -j DROP",
        "-A INPUT -p tcp -m multiport --dports 80,8000:8100 -j DROP",
        "-A FORWARD -d 10.0.1.9/32 -p tcp -m tcp --dport 8080 -j DROP",
        "-A FORWARD -s 10.0.0.0/24 -d 10.0.1.0/24 -p tcp --dport 8080 -j DROP",
        "-A FORWARD ! -d 10.0.2.0/24 -p tcp --dport 8080 -j DROP",
        "-A FORWARD -p tcp ! --dport 80 -j DROP",
        "tcp dport 8080 drop",
        "tcp dport { 80, 8000-8100 } drop",
        "ip saddr 10.0.0.7 ip daddr { 10.0.1.8, 10.0.1.9 } tcp dport 8080 drop",
        "ip saddr @blocked tcp dport 8080 drop",
        "ip daddr != 10.0.2.0/24 tcp dport 8080 drop",
        "ip daddr 10.0.1.1-10.0.1.20 tcp dport 8080 drop",
    ],
)
def test_a_rule_that_holds_address_and_port_matches(rule: str) -> None:
    assert drops_any(rule, [SYN])


@pytest.mark.parametrize(
    "rule",
    [
        "-A INPUT -p tcp --dport 8081 -j DROP",
        "-A INPUT -p tcp --sport 8080 -j DROP",
        "-A INPUT -p udp --dport 8080 -j DROP",
        "-A INPUT -p tcp -m multiport --dports 80,8081:8100 -j DROP",
        "-A FORWARD -d 10.0.1.8/32 -p tcp --dport 8080 -j DROP",
        "-A FORWARD -s 10.0.3.0/24 -p tcp --dport 8080 -j DROP",
        "-A FORWARD ! -d 10.0.1.9/32 -p tcp --dport 8080 -j DROP",
        "-A FORWARD -p tcp ! --dport 8080 -j DROP",
        '-A FORWARD -m comment --comment "tcp dport 8080" -j DROP',
        "-A FORWARD -m limit --limit 8080/sec -j DROP",
        "udp dport 8080 drop",
        "ip daddr 10.0.1.8 tcp dport 8080 drop",
        "ip saddr { 10.0.0.1, 10.0.0.2 } tcp dport 8080 drop",
        "ip6 daddr fd00:1::9 tcp dport 8080 drop",
        "ip daddr 10.0.1.10-10.0.1.20 tcp dport 8080 drop",
    ],
)
def test_a_rule_of_another_service_does_not(rule: str) -> None:
    assert not drops_any(rule, [SYN])


def test_addresses_of_ipv6_are_compared_as_addresses() -> None:
    assert drops_any("ip6 daddr fd00:1:0::9 tcp dport 8080 drop", [SYN6])
    assert not drops_any("ip6 daddr fd00:1::a tcp dport 8080 drop", [SYN6])


def test_one_vantage_point_must_hold_all_that_a_rule_names() -> None:
    """Behind DNAT neither the service's address nor its port are the backend's."""
    hops = [Hop("10.0.0.7", "10.96.0.1", 80), SYN]
    assert drops_any("-A FORWARD -d 10.0.1.9/32 -p tcp --dport 8080 -j DROP", hops)
    assert not drops_any("-A FORWARD -d 10.0.1.9/32 -p tcp --dport 80 -j DROP", hops)
