"""What a text alone shows, at both sides of what decides."""

from __future__ import annotations

from pathlib import Path

import pytest

from workers.cli.analyse_files import analyse_files
from workers.cli.evidence_files import EvidenceFile

MARTIAN = (
    "[13225.481477] IPv4: martian source 10.32.0.68 from 10.37.0.1, on dev eth0\n"
    "[13225.485221] ll header: 00000000: 02 00 00 00 00 01 02 00 00 00 00 02 08 {}        .........<}}...\n"
)
LINKS = (
    "2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu {uplink} qdisc mq state UP group default qlen 1000\n"
    "    link/ether 02:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff\n"
    "    inet 10.2.0.3/32 brd 10.2.0.3 scope global dynamic eth0\n"
    "3: {name}: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu {mtu} qdisc noqueue state UP group default\n"
    "    link/ether 02:00:00:00:00:02 brd ff:ff:ff:ff:ff:ff\n"
    "    inet 10.244.0.1/24 brd 10.244.0.255 scope global {name}\n"
    "$ ip route\n"
    "default via 10.2.0.1 dev eth0\n"
)
NAT = (
    "Chain PREROUTING (policy ACCEPT 424 packets, 33408 bytes)\n"
    " pkts bytes target     prot opt in     out     source               destination\n"
    "\n"
    "Chain POSTROUTING (policy ACCEPT 1521 packets, 91807 bytes)\n"
    " pkts bytes target     prot opt in     out     source               destination\n"
)
MASQUERADE = "    7   420 MASQUERADE  all  --  *      !docker0  172.17.0.0/16        0.0.0.0/0\n"
FLOW = "Jul 31 22:01:34.453: 198.51.100.7:60929 (world) -> 10.0.0.1:6666 (host) policy-verdict:{} (TCP Flags: SYN)\n"
CURL = "    time_namelookup:  {:.3f}\n       time_connect:  {:.3f}\n    time_appconnect:  0.000\n"


def titles(text: str, folder: Path) -> set[str]:
    """Of the findings."""
    path = folder / "pasted.txt"
    path.write_text(text)
    report = analyse_files([EvidenceFile(path, path.name)], "")
    assert report is not None
    return {each.title for each in report.findings} | {each.cause for each in report.diagnoses}


@pytest.mark.parametrize(
    ("ether_type", "found"),
    [
        ("00", {"The kernel logged drops", "reverse-path-filter"}),
        ("06", {"ARP requests from unexpected sources"}),
    ],
)
def test_a_martian_source_of_arp_is_no_dropped_packet(
    ether_type: str, found: set[str], tmp_path: Path
) -> None:
    assert titles(MARTIAN.format(ether_type), tmp_path) == found


@pytest.mark.parametrize(
    ("name", "uplink", "mtu", "found"),
    [
        ("docker0", 1450, 1451, True),
        ("docker0", 1450, 1450, False),
        ("flannel.1", 1500, 1451, True),
        ("flannel.1", 1500, 1450, False),
        ("tunl0", 1500, 1481, True),
        ("tunl0", 1500, 1480, False),
        ("eth1", 1500, 9001, False),
    ],
)
def test_interfaces_larger_than_the_uplink(
    name: str, uplink: int, mtu: int, found: bool, tmp_path: Path
) -> None:
    text = LINKS.format(name=name, uplink=uplink, mtu=mtu)
    assert ("MTU larger than that of the uplink" in titles(text, tmp_path)) == found


def test_interfaces_of_two_hosts_in_one_text_are_not_compared(tmp_path: Path) -> None:
    text = LINKS.format(name="docker0", uplink=1450, mtu=1500) + LINKS.format(
        name="docker0", uplink=1500, mtu=1500
    )
    assert titles(text, tmp_path) == set()


@pytest.mark.parametrize(("rule", "found"), [("", True), (MASQUERADE, False)])
def test_a_nat_table_without_any_rule(rule: str, found: bool, tmp_path: Path) -> None:
    assert ("The nat table has no rule" in titles(NAT + rule, tmp_path)) == found


@pytest.mark.parametrize(
    ("verdict", "found"),
    [("none INGRESS AUDITED", {"Flows that a policy would deny"}), ("L3-Only INGRESS ALLOWED", set[str]())],
)
def test_flows_that_passed_in_audit_mode(verdict: str, found: set[str], tmp_path: Path) -> None:
    assert titles(FLOW.format(verdict), tmp_path) == found


@pytest.mark.parametrize(("looked_up_s", "found"), [(5.5, {"Slow name lookups"}), (0.9, set[str]())])
def test_times_of_curl_without_a_total(looked_up_s: float, found: set[str], tmp_path: Path) -> None:
    text = CURL.format(0.013, 0.014) + CURL.format(looked_up_s, looked_up_s + 0.001)
    assert titles(text, tmp_path) == found


@pytest.mark.parametrize(
    ("routed", "found"),
    [("deny", True), ("reject", True), ("allow", False), ("disabled", False)],
)
def test_what_ufw_does_with_routed_packets(routed: str, found: bool, tmp_path: Path) -> None:
    text = (
        f"Status: active\nLogging: on (low)\nDefault: allow (incoming), allow (outgoing), {routed} (routed)\n"
    )
    assert ("Chains that end by dropping or rejecting" in titles(text, tmp_path)) == found


def test_printed_times_without_a_date_are_no_clock_that_was_not_set(tmp_path: Path) -> None:
    path = tmp_path / "pasted.txt"
    path.write_text(
        "01:11:43.486943 IP 10.0.0.1.41358 > 10.0.0.2.80: Flags [S], seq 345145544, win 64240, length 0\n"
        "01:11:43.487043 IP 10.0.0.2.80 > 10.0.0.1.41358: Flags [R.], seq 0, ack 345145545, win 0, length 0\n"
    )
    report = analyse_files([EvidenceFile(path, path.name)], "")
    assert report is not None
    said = " ".join(each.text for each in report.quality)
    assert "The printed times have no date" in said
    assert "the clock was not set" not in said
