from __future__ import annotations

import pytest

from backend.forensics.private_words import Part
from backend.forensics.report import CounterSetPart
from backend.services.redaction.names import Hiding, Names
from backend.services.redaction.open_words import INTERFACE
from backend.services.redaction.pseudonyms import PrivateText
from backend.services.redaction.typed_answer import shown_content

ALL = Hiding(addresses=True, payload=True)


def names(hiding: Hiding = ALL, **told: str) -> Names:
    texts = [PrivateText(text, sort) for text, sort in told.items()]
    return Names(texts, b"key", hiding)


@pytest.mark.parametrize(
    "name",
    [
        "any",
        "lo",
        "eth0",
        "eth0.100",
        "eth0@if7",
        "enp3s0f1",
        "ens5",
        "eno1",
        "wlp2s0",
        "br-0a1b2c3d4e5f",
        "veth612e8f1@if2",
        "cni0",
        "cali3f4ab12cd0e",
        "flannel.1",
        "cilium_host",
        "vxlan.calico",
        "docker0",
        "tunl0",
        "kube-ipvs0",
        "bond0",
        "lxc_health",
        "nodelocaldns",
    ],
)
def test_names_that_kernels_and_plugins_give_are_nobodys_words(name: str) -> None:
    assert INTERFACE.fullmatch(name)


@pytest.mark.parametrize(
    "name",
    [
        "br-payments",
        "enx0242ac110002",
        "app-eth0",
        "eth0-shop",
        "vlan-prod",
        "checkout",
        "lofi",
        "enterprise",
    ],
)
def test_other_names_of_interfaces_are(name: str) -> None:
    assert not INTERFACE.fullmatch(name)


def test_a_long_name_is_told_apart_at_once() -> None:
    assert not INTERFACE.fullmatch("br" + "0" * 5000 + "z")


@pytest.mark.parametrize(
    "address",
    ["10.1.2.3", "fd00:1:2::3", "2001:db8::10.1.2.3", "02:42:ac:11:00:02", "FD00:0:0:0:0:0:0:7"],
)
def test_addresses_nobody_named_get_computed_names(address: str) -> None:
    for text in (address, f"[{address}]:80", f"to {address}, then", f"src={address}"):
        assert address not in names().text(text)
        assert names().text(text) == names().text(text)
    assert names(Hiding(addresses=False, payload=True)).text(address) == address


def test_machines_that_dumps_name_are_hidden_in_a_report() -> None:
    counters = {"kind": "nstat", "host": "ip-10-1-2-3", "subject": "kubepods/checkout"}
    assert "checkout" not in str(shown_content(counters, CounterSetPart, names()))
    assert "10-1-2-3" not in str(shown_content(counters, CounterSetPart, names()))
    assert shown_content({"subject": "eth0"}, CounterSetPart, names()) == {"subject": "eth0"}
    assert shown_content(counters, CounterSetPart, names(Hiding(addresses=False, payload=True))) == counters


WORDS_SHOWN = Hiding(addresses=True, payload=False)


@pytest.mark.parametrize(
    ("text", "address", "rest"),
    [
        ("10-77-3-9.ns.pod.cluster.local", "10.77.3.9", "{}.ns.pod.cluster.local"),
        ("ip-10-77-3-9.ec2.internal", "10.77.3.9", "ip-{}.ec2.internal"),
        ("ip-10-77-3-9.eu-west-1.compute.internal", "10.77.3.9", "ip-{}.eu-west-1.compute.internal"),
        ("db.10.77.3.9.nip.io", "10.77.3.9", "db.{}.nip.io"),
        ("9.3.77.10.in-addr.arpa", "10.77.3.9", "{}.in-addr.arpa"),
        ("0a4d0309.nip.io", "10.77.3.9", "{}.nip.io"),
        ("fd77-12--beef.ns.pod.cluster.local", "fd77:12::beef", "{}.ns.pod.cluster.local"),
        (
            "f.e.e.b." + "0." * 20 + "2.1.0.0.7.7.d.f.ip6.arpa",
            "fd77:12::beef",
            "{}.ip6.arpa",
        ),
        ("/pods/10.77.3.9/logs", "10.77.3.9", "/pods/{}/logs"),
        ("/pods/10_77_3_9?x=1", "10.77.3.9", "/pods/{}?x=1"),
    ],
)
def test_an_address_inside_a_shown_word_is_renamed_as_addresses_are(
    text: str, address: str, rest: str
) -> None:
    texts = [PrivateText(address, "pod"), PrivateText(text, "name", is_message=True)]
    made = Names(texts, b"key", WORDS_SHOWN)
    named = made.text(address)
    assert named.startswith("pod-")
    assert made.text(text) == rest.format(named)
    assert made.text(f"{text} was asked for") == f"{rest.format(named)} was asked for"
    assert made.origin(rest.format(named)) == text
    composed = {"it is " + text: (Part("it is "), Part(text, "name"))}
    assert Names([], b"key", WORDS_SHOWN, composed).text("it is " + text).find(address) == -1
    assert Names(texts, b"key", Hiding(addresses=False, payload=False)).text(text) == text


@pytest.mark.parametrize("text", ["169-254-169-254.example", "a-b-c.test", "deadbeef.test", "/v1/7"])
def test_other_numbers_in_a_shown_word_stay(text: str) -> None:
    made = Names([PrivateText(text, "name", is_message=True)], b"key", WORDS_SHOWN)
    assert made.text(text) == text


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("net.ipv4.conf.eth0.rp_filter = 1", "net.ipv4.conf.eth0.rp_filter = 1"),
        ("net.ipv4.conf.all.rp_filter = 1", "net.ipv4.conf.all.rp_filter = 1"),
        ("net.ipv4.conf.payroll.rp_filter = 1", "••• = 1"),
        ("net.ipv6.neigh.payroll0.gc_thresh1 = 1", "••• = 1"),
        ("net.netfilter.nf_conntrack_max = 1", "net.netfilter.nf_conntrack_max = 1"),
        ("vm.swappiness_ratio = 1", "vm.swappiness_ratio = 1"),
        ("fs.payroll.test = 1", "••• = 1"),
        ("fs.payroll = 1", "••• = 1"),
        ("net.payroll.test = 1", "••• = 1"),
        ("TcpRetransSegs 7", "TcpRetransSegs 7"),
        ("Ipanema 7", "••• 7"),
    ],
)
def test_a_setting_shows_no_name_of_an_interface_or_a_machine(line: str, shown: str) -> None:
    assert names().of_line(line) == shown
