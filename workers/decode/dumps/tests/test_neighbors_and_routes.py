"""`ip neigh` and `ip route`: who answered on the segment, and by which own address networks are reached."""

from __future__ import annotations

from workers.decode.dumps import ip_route, parse_dumps

NEIGHBORS = """\
10.244.84.28 dev cni0 lladdr f6:5d:fa:af:cc:85 REACHABLE
10.52.46.209 dev eth0  FAILED
10.52.46.210 dev eth0 INCOMPLETE
fe80::1 dev eth0 lladdr 6e:fc:1d:5a:bb:70 router STALE
"""
ROUTES = """\
default via 10.52.34.1 dev eth0
10.52.34.0/24 dev eth0 proto kernel scope link src 10.52.34.2
10.244.84.0/24 dev cni0 proto kernel scope link src 10.244.84.1
"""
SESSION = f"root@node-3:~# ip neigh\n{NEIGHBORS}root@node-3:~# ip route\n{ROUTES}"


def test_neighbors_with_their_states() -> None:
    (dump,) = parse_dumps(NEIGHBORS)
    assert dump.kind == "ip-neigh"
    assert [(n.line, n.address, n.state) for n in dump.neighbors] == [
        (1, "10.244.84.28", "REACHABLE"),
        (2, "10.52.46.209", "FAILED"),
        (3, "10.52.46.210", "INCOMPLETE"),
        (4, "fe80::1", "STALE"),
    ]
    assert dump.neighbors[0].link_address == "f6:5d:fa:af:cc:85"
    assert dump.neighbors[1].link_address == ""
    assert not dump.lines_not_understood


def test_routes_name_own_addresses() -> None:
    (dump,) = parse_dumps(ROUTES)
    assert dump.kind == "ip-route"
    assert [(a.interface, a.address, a.prefix_bits) for a in dump.addresses] == [
        ("eth0", "10.52.34.2", 24),
        ("cni0", "10.244.84.1", 24),
    ]
    assert not dump.lines_not_understood


def test_one_session_holds_both() -> None:
    assert [(d.kind, d.host) for d in parse_dumps(SESSION)] == [
        ("ip-neigh", "node-3"),
        ("ip-route", "node-3"),
    ]


def test_a_neighbor_without_a_state_is_not_understood() -> None:
    (dump,) = parse_dumps(NEIGHBORS + "10.0.0.9 dev eth0 lladdr f6:5d\n")
    assert dump.lines_not_understood == (5,)


def test_the_hardware_address_of_an_interface() -> None:
    text = (
        "2: eth0: <UP> mtu 1500 qdisc fq state UP\n    link/ether f6:5d:fa:af:cc:85 brd ff:ff:ff:ff:ff:ff\n"
    )
    (dump,) = parse_dumps(text)
    assert dump.interfaces[0].link_address == "f6:5d:fa:af:cc:85"


def test_a_default_route_over_several_next_hops_is_understood() -> None:
    lines = [
        "default ",
        "\tnexthop via 10.52.34.1 dev eth0 weight 1 ",
        "\tnexthop via 10.52.35.1 dev eth1 weight 1 ",
        "10.52.34.0/24 dev eth0 proto kernel scope link src 10.52.34.2 ",
    ]
    dump = ip_route.parse(lines, 1)
    assert dump.lines_not_understood == ()
    assert [route.target for route in dump.routes] == ["10.52.34.0/24"]
    assert not ip_route.owns_line("defaults")
