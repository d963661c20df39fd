"""Counters belong to hosts: those of the host that a question is about are used, others change nothing."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from backend.forensics.diagnosis.causes.tests.build_losses import SERVER, Losses
from backend.forensics.dumps import (
    CounterRow,
    Dump,
    Interface,
    InterfaceAddress,
    ListenSocket,
    Neighbor,
)
from backend.forensics.evidence.attempts.retried import Endpoint
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.tests.build_capture import S

LINK = "f6:5d:fa:af:cc:85"
SERVER_END = Endpoint.of(SERVER)


def nstat(host: str, **counters: int) -> list[DumpInput]:
    """Before and after; every counter begins at 0."""
    return [
        DumpInput(
            f"{host}-{when}.txt",
            None,
            Dump(
                "nstat",
                1,
                (),
                host=host,
                counters=(CounterRow(1, None, dict.fromkeys(counters, 0) if not when else counters),),
            ),
        )
        for when in (0, 1)
    ]


def tracked(host: str, failed: int) -> list[DumpInput]:
    return [
        DumpInput(
            f"{host}-{when}.txt",
            None,
            Dump(
                "conntrack-stats",
                1,
                (),
                host=host,
                counters=(CounterRow(1, 0, {"insert_failed": failed * when}),),
            ),
        )
        for when in (0, 1)
    ]


def one(host: str, dump: Dump) -> DumpInput:
    return DumpInput(f"{host}-{dump.kind}.txt", host, dump)


def listening(host: str, port: int) -> DumpInput:
    return one(host, Dump("ss-sockets", 1, (), listen_sockets=(ListenSocket(1, "0.0.0.0", port, 0, 128),)))


def addressed(host: str, address: str) -> DumpInput:
    return one(host, Dump("ip-addr", 1, (), addresses=(InterfaceAddress(1, "eth0", address, 24),)))


def facts(*dumps: DumpInput) -> Facts:
    return gather_facts([Losses().usual(SERVER, 3).late(SERVER, 2).build()], dumps)


@pytest.mark.parametrize(
    ("address", "interfaces", "used"),
    [("203.0.113.9", 1, False), ("203.0.113.9", 2, True), ("10.0.0.1", 1, True), ("192.0.2.10", 1, True)],
)
def test_a_host_with_one_interface_that_no_packet_names_passed_none_on(
    address: str, interfaces: int, used: bool
) -> None:
    """Also where it is the only one that was listed; a node has more interfaces, or is an end itself."""
    own = tuple(
        InterfaceAddress(n, f"eth{n}", address if not n else f"198.18.{n}.1", 24) for n in range(interfaces)
    )
    found = facts(*tracked("one", 5), one("one", Dump("ip-addr", 1, (), addresses=own)))
    assert (found.node.delta is not None) == used
    assert found.listed_hosts.concerned == (frozenset(("one",)) if used else frozenset())


def test_the_host_with_the_address_answers_for_the_server() -> None:
    dumps = [
        *nstat("a", TcpExtListenDrops=9),
        *nstat("b", TcpExtListenDrops=0),
        addressed("a", "192.0.2.10"),
        addressed("b", "192.0.2.11"),
    ]
    for order in itertools.islice(itertools.permutations(dumps), 0, 720, 97):
        found = facts(*order).listed_hosts.at(SERVER_END)
        assert (found.host, found.sure) == ("a", True)
        assert [host for host, _ in found.unused] == ["b"]


def test_a_hardware_address_in_a_neighbors_table_tells_the_server() -> None:
    interface = Interface(1, 2, "ens5", "", "", link_address=LINK)
    dumps = [
        one("a", Dump("ip-link", 1, (), interfaces=(interface,))),
        one(
            "node", Dump("ip-neigh", 1, (), neighbors=(Neighbor(1, "192.0.2.10", "eth0", LINK, "REACHABLE"),))
        ),
    ]
    assert facts(*dumps).listed_hosts.at(SERVER_END).host == "a"


def test_a_host_without_a_listener_on_the_port_is_not_the_server() -> None:
    dumps = [*nstat("a", TcpExtListenDrops=9), listening("a", 8081)]
    assert facts(*dumps).kernel_at(SERVER_END).dumps == ()
    dumps[-1] = listening("a", SERVER_END.port)
    assert facts(*dumps).kernel_at(SERVER_END).has("nstat")


def test_two_hosts_that_fit_alike_are_both_left_out() -> None:
    dumps = [listening("a", 80), listening("b", 80)]
    found = facts(*dumps).listed_hosts.at(SERVER_END)
    assert found.host is None
    assert len(found.unused) == len(found.like) == 2


@pytest.mark.parametrize("unrelated", [tracked("z", 50), [*tracked("z", 0), *nstat("z", IpForwDatagrams=0)]])
def test_an_unrelated_host_does_not_change_the_nodes_counters(unrelated: list[DumpInput]) -> None:
    node = [*tracked("node", 2), addressed("node", "198.51.100.7"), *nstat("node", IpForwDatagrams=60)]
    neighbor = Neighbor(1, "10.0.0.1", "cni0", LINK, "REACHABLE")
    node.append(one("node", Dump("ip-neigh", 1, (), neighbors=(neighbor,))))
    alone, both = facts(*node).node.delta, facts(*node, *unrelated).node.delta
    assert alone is not None
    assert both is not None
    assert alone.deltas == both.deltas == {"insert_failed": 2}


def test_nameless_listings_stay_apart_from_a_whole_series_of_a_named_host() -> None:
    nameless = [
        DumpInput(d.input, None, Dump(d.dump.kind, 1, (), counters=d.dump.counters)) for d in tracked("x", 2)
    ]
    kernel = facts(*nameless, *tracked("z", 50)).kernel
    assert {(s.host, s.rise) for s in kernel.series} == {("", 2), ("z", 50)}


def test_listings_of_another_time_are_not_of_this_server() -> None:
    built = Losses().usual(SERVER, 3).late(SERVER, 2).build()
    away = [
        DumpInput(d.input, d.host, replace(d.dump, captured_at_ns=built.last_ns + n * S))
        for n, d in ((61, listening("z", 80)), (70, nstat("z", TcpExtListenDrops=9)[1]))
    ]
    near = [
        DumpInput(d.input, d.host, replace(d.dump, captured_at_ns=built.last_ns))
        for d in [listening("a", 80)]
    ]
    assert gather_facts([built], [*away, *near]).listed_hosts.at(SERVER_END).host == "a"
