"""No fact, detector or cause searches a table again for each of many destinations: work grows as the capture does."""

import struct
from dataclasses import replace
from ipaddress import IPv4Address
from pathlib import Path

import numpy as np
import pytest

from backend.forensics.dumps import Dump, RealServer, VirtualService
from backend.forensics.evidence.dns.lost_queries import find_lost_queries
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.tests.build_capture import MS, T0_NS, S
from backend.forensics.tests.build_dns import DnsBuilder
from workers.decode.bench.generate import generate
from workers.decode.bench.scripts import SERVICE, TRAFFIC, shortest
from workers.decode.bench.visits import CountedArray, VisitMeter, count_parts, growing_faster

TIMES = 4
PCAP_HEADER_BYTES = 24


def with_times(path: Path, times: str) -> None:
    """The same packets, all at once or at any time of 100 s: over years no answer would lie near its question."""
    data, random = bytearray(path.read_bytes()), np.random.default_rng(1)
    at = PCAP_HEADER_BYTES
    while at < len(data):
        (length,) = struct.unpack_from("<I", data, at + 8)
        seconds, nanoseconds = random.integers(0, (100, 1_000_000_000)) if times == "random" else (0, 0)
        struct.pack_into("<II", data, at, 1_700_000_000 + seconds, nanoseconds)
        at += 16 + length
    path.write_bytes(data)


def counted(folder: Path, traffic: str, packets: int, times: str) -> dict[str, int]:
    path = folder / f"{traffic}.pcap"
    generate(path, packets, traffic)
    if times != "as sent":
        with_times(path, times)
    parts = count_parts(path)
    path.unlink()
    # Of less than one element in 4 packets the beginning of the capture hides how it goes on.
    return {what: max(count, packets // 4) for what, count in parts.items()}


def too_fast(
    folder: Path, traffic: str, packets: tuple[int, int], power: float, times: str = "as sent"
) -> dict[str, float]:
    few, many = (counted(folder, traffic, size, times) for size in packets)
    return growing_faster(few, many, packets[1] / packets[0], power)


@pytest.mark.parametrize(("times", "packets"), [("as sent", 20_000), ("equal", 10_000)])
def test_work_grows_as_the_capture(tmp_path: Path, times: str, packets: int) -> None:
    """In small captures connections that were cut off at the end count much, so the power is generous: a table
    searched for each destination has 2."""
    assert too_fast(tmp_path, "everything", (packets, TIMES * packets), 1.5, times) == {}


@pytest.mark.long
@pytest.mark.parametrize("traffic", sorted(TRAFFIC))
def test_work_of_every_traffic_grows_as_the_capture(tmp_path: Path, traffic: str) -> None:
    assert too_fast(tmp_path, traffic, (100_000, 1_000_000), 1.1) == {}


@pytest.mark.long
@pytest.mark.parametrize(("times", "power"), [("equal", 1.1), ("random", 1.2)])
def test_work_grows_as_the_capture_whatever_its_times(tmp_path: Path, times: str, power: float) -> None:
    """More packets in the same 100 s: more queries of a client lie within the time of a retry, so that lookups have
    more of them."""
    assert too_fast(tmp_path, "everything", (100_000, 1_000_000), power, times) == {}


def drained_servers(packets: int) -> DumpInput:
    """`ipvsadm -Ln` in which all the servers of as many packets of the traffic `services` have the weight 0."""
    numbers = np.arange(packets // shortest("services"))
    addresses = [str(IPv4Address(int(a))) for a in np.unique(SERVICE.server(numbers))]
    servers = [RealServer(n, a, 443, "Masq", 0, 0, 0) for n, a in enumerate(addresses, start=5)]
    service = VirtualService(4, "TCP", "10.96.0.100", 443, "rr", real_servers=tuple(servers))
    return DumpInput("ipvsadm.txt", None, Dump("ipvs-services", 0, (), 1, "text", services=(service,)))


def test_drained_servers_are_not_searched_for_one_by_one(tmp_path: Path) -> None:
    counts = []
    for packets in (20_000, TIMES * 20_000):
        generate(tmp_path / "drained.pcap", packets, "services")
        parts = count_parts(tmp_path / "drained.pcap", [drained_servers(packets)])
        counts.append({what: parts[what] for what in ("fact ipvs_drains", "detector ipvs-drain")})
    assert min(counts[0].values()) > 1000  # something was found there
    assert growing_faster(counts[0], counts[1], TIMES, 1.1) == {}


def asked_again(tries: int, *, on_same_socket: bool) -> Facts:
    """One question that is put again and again without an answer, beside one that is answered."""
    builder = DnsBuilder()
    port = builder.lookup(T0_NS, "answered.example.")
    for number in range(tries):
        pause_ns, port = (100 * MS, port) if on_same_socket else (5 * S, builder.port())
        builder.query(T0_NS + number * pause_ns, port, 1, "mute.example.")
    return gather_facts([builder.build()], [])


def count_lost_queries(facts: Facts) -> int:
    lookups = facts.dns.lookups
    messages = replace(lookups.messages, rows=lookups.messages.rows.view(CountedArray))
    exchanges = replace(lookups.exchanges, rows=lookups.exchanges.rows.view(CountedArray))
    dns = replace(facts.dns, lookups=replace(lookups, messages=messages, exchanges=exchanges))
    meter = VisitMeter()
    lost = meter.run("lost", lambda: find_lost_queries(dns, dns.resolvers[0]))
    assert len(lost) > 100
    return meter.parts["lost"]


@pytest.mark.parametrize("on_same_socket", [True, False])
def test_a_lookup_of_many_queries_is_not_searched_for_each_of_them(on_same_socket: bool) -> None:
    few, many = (
        {"lost": count_lost_queries(asked_again(tries, on_same_socket=on_same_socket))}
        for tries in (200, 200 * TIMES)
    )
    assert growing_faster(few, many, TIMES, 1.2) == {}


def searches(size: int) -> dict[str, int]:
    """By name: a table searched for each of its values, and sorted once and then looked up."""
    table = np.arange(size).view(CountedArray)
    meter = VisitMeter()
    meter.run("again and again", lambda: [np.flatnonzero(table == value) for value in range(size)])
    meter.run("sorted once", lambda: np.searchsorted(np.sort(table), np.arange(size)))
    return meter.parts


def test_a_table_searched_for_each_value_is_named() -> None:
    assert list(growing_faster(searches(500), searches(2000), TIMES, 1.5)) == ["again and again"]


def test_results_of_counted_arrays_are_those_of_arrays() -> None:
    plain = np.array([(3, 1.5), (1, 2.5), (2, 0.5)], [("a", "<i8"), ("b", "<f8")])
    counting = plain.view(CountedArray)
    for rows in (plain, counting):
        assert rows["a"].sum() == 6
        assert rows[rows["a"] > 1]["b"].tolist() == [1.5, 0.5]
        assert np.lexsort((rows["b"], rows["a"])).tolist() == [1, 2, 0]
    assert isinstance(np.unique(counting["a"]), CountedArray)
