from __future__ import annotations

from pathlib import Path
from typing import cast

from backend.forensics.dumps import CounterRow, Dump, IpvsTraffic, RealServer, VirtualService
from backend.services.dump_series import POINTS_AT_MOST, DumpSeries, series_of
from backend.services.read_dumps import KeptDump
from backend.storage.records import EvidenceFile


class _File:
    name = "series.txt"


def kept(number: int, dump: Dump) -> KeptDump:
    return KeptDump(cast("EvidenceFile", _File()), number, "node", dump, Path())


def listing(number: int, *, inactive: int, connections: int | None = None) -> KeptDump:
    """A listing taken at second `number`."""
    traffic = None if connections is None else IpvsTraffic(connections, 0, 0, 0, 0, per_second=False)
    server = RealServer(5, "10.0.0.7", 8080, weight=1, active=0, inactive=inactive, traffic=traffic)
    service = VirtualService(4, "TCP", "10.96.0.1", 80, real_servers=(server,))
    dump = Dump("ipvs-services", 9, (), captured_at_ns=number * 10**9, services=(service,))
    return kept(number, dump)


def by_name(dumps: list[KeptDump]) -> dict[tuple[str, str], DumpSeries]:
    return {(each.subject, each.name): each for each in series_of(dumps).items}


def stats(number: int, drops: dict[int, int]) -> KeptDump:
    rows = tuple(CounterRow(cpu + 1, cpu, {"drop": value}) for cpu, value in drops.items())
    return kept(number, Dump("conntrack-stats", 2, (), captured_at_ns=number * 10**9, counters=rows))


def test_a_counter_rises_cpu_by_cpu() -> None:
    series = by_name([stats(1, {0: 2, 1: 0}), stats(2, {0: 29, 1: 2})])["", "drop"]
    assert (series.nature, series.rise, series.rise_per_cpu) == ("counter", 29, {"0": 27, "1": 2})
    assert [point.lines for point in series.points] == [(1, 2), (1, 2)]


def test_a_counter_that_falls_has_no_rise_and_a_sentence() -> None:
    found = series_of([stats(1, {0: 9}), stats(2, {0: 3})])
    assert found.items[0].rise is None
    assert "contradict" in found.contradictions[0]


def test_a_service_sums_its_servers_and_each_server_has_its_own_line() -> None:
    series = by_name([listing(1, inactive=5), listing(2, inactive=3)])
    service = series["TCP 10.96.0.1:80", "inactive connections"]
    assert (service.nature, service.rise, [p.value for p in service.points]) == ("gauge", None, [5, 3])
    server = series["TCP 10.96.0.1:80 → 10.0.0.7:8080", "weight"]
    assert [point.lines for point in server.points] == [(5,), (5,)]


def test_totals_of_a_server_are_a_counter() -> None:
    dumps = [listing(1, inactive=0, connections=4), listing(2, inactive=0, connections=10)]
    assert by_name(dumps)["TCP 10.96.0.1:80 → 10.0.0.7:8080", "connections"].rise == 6
    assert by_name(dumps[::-1])["TCP 10.96.0.1:80 → 10.0.0.7:8080", "connections"].rise == 6


def test_one_dump_makes_no_series() -> None:
    assert by_name([listing(1, inactive=5)]) == {}


def test_long_series_keep_their_ends_and_say_how_long_they_were() -> None:
    for length in (POINTS_AT_MOST, POINTS_AT_MOST + 1):
        series = by_name([listing(n, inactive=n) for n in range(length)])[
            "TCP 10.96.0.1:80", "inactive connections"
        ]
        assert len(series.points) == POINTS_AT_MOST
        assert (series.points[0].value, series.points[-1].value) == (0, length - 1)
        assert series.points_total == length
