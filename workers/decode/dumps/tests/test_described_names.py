"""Names in what `kubectl describe` shows."""

from __future__ import annotations

import pytest

from workers.decode.dumps import parse_dump_bytes

POD = """\
Name:             checkout-7f9c
Namespace:        payments
Priority:         0
Service Account:  default
Node:             kind-worker/172.18.0.3
Start Time:       Fri, 20 Nov 2026 08:00:05 +0000
Labels:           app=checkout
Status:           {status}
IP:               {address}
IPs:
  IP:           {address}
Controlled By:  ReplicaSet/checkout
QoS Class:                   Burstable
"""
SERVICE = """\
Name:                     web
Namespace:                default
Labels:                   <none>
Selector:                 app=web
Type:                     LoadBalancer
IP Family Policy:         SingleStack
IP Families:              IPv4
IP:                       {address}
IPs:                      {address}
LoadBalancer Ingress:     198.51.100.7
Port:                     http  80/TCP
Endpoints:                10.244.1.7:8080
Session Affinity:         None
"""
NODE = """\
Name:               kind-worker
Labels:             kubernetes.io/os=linux
Addresses:
  InternalIP:  172.18.0.3
  InternalIP:  fc00:f853:ccd:e793::3
  Hostname:    kind-worker
"""


def _names(text: str) -> list[tuple[str, str, str]]:
    return [
        (each.address, each.name, each.sort)
        for dump in parse_dump_bytes(text.encode())
        for each in dump.address_names
    ]


def test_a_pod_names_its_node_too_and_a_service_has_every_address() -> None:
    text = POD.format(status="Running", address="10.244.1.17") + "\n\n" + SERVICE.format(address="10.96.0.10")
    assert _names(text) == [
        ("172.18.0.3", "kind-worker", "node"),
        ("10.244.1.17", "payments/checkout-7f9c", "pod"),
        ("10.96.0.10", "default/web", "service"),
        ("198.51.100.7", "default/web", "service"),
    ]


def test_a_node() -> None:
    assert _names(NODE) == [
        ("172.18.0.3", "kind-worker", "node"),
        ("fc00:f853:ccd:e793::3", "kind-worker", "node"),
    ]


def test_a_name_leads_to_the_line_that_shows_its_address() -> None:
    text = POD.format(status="Running", address="10.244.1.17")
    (dump,) = parse_dump_bytes(text.encode())
    assert [text.split("\n")[each.line - 1].split()[-1] for each in dump.address_names] == [
        "kind-worker/172.18.0.3",
        "10.244.1.17",
    ]


@pytest.mark.parametrize(
    ("status", "address"), [("Succeeded", "10.244.1.17"), ("Running", "172.18.0.3"), ("Pending", "")]
)
def test_a_pod_that_is_over_in_the_nodes_network_or_without_address_has_no_name(
    status: str, address: str
) -> None:
    assert _names(POD.format(status=status, address=address)) == [("172.18.0.3", "kind-worker", "node")]


def test_a_headless_service_has_no_address() -> None:
    text = SERVICE.format(address="None").replace("LoadBalancer Ingress:     198.51.100.7\n", "")
    assert _names(text) == []
