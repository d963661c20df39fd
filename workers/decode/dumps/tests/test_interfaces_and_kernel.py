from pathlib import Path

import pytest

from workers.decode.dumps import parse_dumps, recognise_dump

SAMPLES = Path(__file__).parent / "samples"

LONG_FORM = """\
1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet 127.0.0.1/8 scope host lo
       valid_lft forever preferred_lft forever
    inet6 ::1/128 scope host noprefixroute
       valid_lft forever preferred_lft forever
7: eth0.100@eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP group default qlen 1000
    link/ether 2e:63:e1:b6:3c:74 brd ff:ff:ff:ff:ff:ff
    altname enp3s0
    inet 10.1.2.3/24 brd 10.1.2.255 scope global eth0.100
       valid_lft forever preferred_lft forever
"""


def test_ip_link_tells_bridge_members_from_the_bridge() -> None:
    (dump,) = parse_dumps((SAMPLES / "snat-race-ip-link.txt").read_text())
    assert dump.kind == "ip-link"
    assert dump.lines_not_understood == ()
    by_name = {interface.name: interface for interface in dump.interfaces}
    assert (by_name["lo"].kind, by_name["cni0"].kind, by_name["eth0"].kind) == ("loopback", "", "veth")
    pod = by_name["veth1e2feb89"]
    assert (pod.index, pod.master, pod.kind, pod.line) == (4, "cni0", "veth", 4)


def test_ip_addr_on_one_line_each() -> None:
    (dump,) = parse_dumps((SAMPLES / "snat-race-ip-addr.txt").read_text())
    assert dump.kind == "ip-addr"
    assert dump.lines_not_understood == ()
    found = [(address.interface, address.address, address.prefix_bits) for address in dump.addresses]
    assert found == [("lo", "127.0.0.1", 8), ("eth0", "10.16.146.2", 16), ("cni0", "10.244.35.1", 24)]


def test_ip_addr_in_its_long_form_names_interfaces_too() -> None:
    (dump,) = parse_dumps(LONG_FORM)
    assert dump.kind == "ip-addr"
    assert dump.lines_not_understood == ()
    assert [address.address for address in dump.addresses] == ["127.0.0.1", "::1", "10.1.2.3"]
    assert dump.addresses[2].interface == "eth0.100"
    # A VLAN's parent is on the same machine: not a pair of interfaces.
    assert [interface.kind for interface in dump.interfaces] == ["loopback", ""]


def test_both_listings_in_a_row_are_told_apart() -> None:
    link = (SAMPLES / "snat-race-ip-link.txt").read_text()
    address = (SAMPLES / "snat-race-ip-addr.txt").read_text()
    assert [dump.kind for dump in parse_dumps(link + address)] == ["ip-link", "ip-addr"]


@pytest.mark.parametrize("name", ["uname-a.txt", "uname-r.txt"])
def test_uname_names_the_kernel(name: str) -> None:
    (dump,) = parse_dumps((SAMPLES / name).read_text())
    assert dump.kind == "uname"
    assert dump.kernel is not None
    assert dump.kernel.release == "6.1.0-56-cloud-amd64"
    assert dump.host == ""


def test_uname_names_the_machine() -> None:
    (dump,) = parse_dumps("Linux node-7 3.10.0-1160.el7.x86_64 #1 SMP Mon Oct 19 16:18:59 UTC 2020 x86_64\n")
    assert dump.host == "node-7"


@pytest.mark.parametrize("text", ["10.0.0.1", "6.1", "1.2.3.4.5", "version 6.1.0", "2026-11-21"])
def test_other_numbers_with_dots_are_no_kernel(text: str) -> None:
    assert recognise_dump(text.encode()) is None


DETAILED = r"""2: flannel.1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1450 qdisc noqueue state UNKNOWN mode DEFAULT
    link/ether 2e:63:e1:b6:3c:74 brd ff:ff:ff:ff:ff:ff promiscuity 0 minmtu 68 maxmtu 65535
    vxlan id 1 local 10.0.0.1 dev eth0 srcport 0 0 dstport 8472 nolearning ttl auto ageing 300 udpcsum \
noudp6zerocsumtx noudp6zerocsumrx addrgenmode eui64 numtxqueues 1 numrxqueues 1
3: cni0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1450 qdisc noqueue state UP mode DEFAULT group default
    link/ether 2e:63:e1:b6:3c:75 brd ff:ff:ff:ff:ff:ff promiscuity 0
    bridge forward_delay 1500 hello_time 200 max_age 2000
4: veth1@if2: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1450 qdisc noqueue master cni0 state UP mode DEFAULT
    link/ether 2e:63:e1:b6:3c:76 brd ff:ff:ff:ff:ff:ff link-netnsid 0 promiscuity 1
    veth
    bridge_slave state forwarding priority 32 cost 2
""".replace("\\\n", "")


def test_details_tell_the_kind_and_the_tunnel() -> None:
    (dump,) = parse_dumps(DETAILED)
    assert (dump.kind, dump.lines_not_understood) == ("ip-link", ())
    tunnel, bridge, port = dump.interfaces
    assert (tunnel.kind, tunnel.vxlan_id, tunnel.vxlan_port, tunnel.vxlan_udp_checksum) == (
        "vxlan",
        1,
        8472,
        True,
    )
    assert (tunnel.line, tunnel.detail_line, tunnel.mtu_bytes) == (1, 3, 1450)
    assert (bridge.kind, port.kind, port.master) == ("bridge", "veth", "cni0")
    without = DETAILED.replace("udpcsum", "noudpcsum")
    assert parse_dumps(without)[0].interfaces[0].vxlan_udp_checksum is False


def test_details_are_found_in_the_one_line_form() -> None:
    line = (
        r"2: vx1: <UP> mtu 1450 qdisc noqueue state UNKNOWN \    link/ether 2e:63:e1:b6:3c:74 "
        r"brd ff:ff:ff:ff:ff:ff\    vxlan id 7 dstport 4789 nolearning"
    )
    (dump,) = parse_dumps(line)
    interface = dump.interfaces[0]
    assert (interface.vxlan_id, interface.vxlan_port, interface.vxlan_udp_checksum) == (7, 4789, None)


def test_offloads_belong_to_the_interface_in_the_title() -> None:
    text = "Features for vx1:\nrx-checksumming: on\n\ttx-checksum-ipv4: off [fixed]\n"
    text += "Features for eth0:\ntx-nocache: off\n?\n"
    (dump,) = parse_dumps(text)
    assert [(o.line, o.interface, o.name, o.enabled, o.fixed) for o in dump.offloads] == [
        (2, "vx1", "rx-checksumming", True, False),
        (3, "vx1", "tx-checksum-ipv4", False, True),
        (5, "eth0", "tx-nocache", False, False),
    ]
    assert dump.lines_not_understood == (6,)
