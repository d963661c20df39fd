from __future__ import annotations

import numpy as np
import pytest

from backend.errors import InvalidRequest
from backend.forensics.dumps import (
    CounterRow,
    Dump,
    IpvsTraffic,
    KernelMessage,
    NatRule,
    PacketProcess,
    Probe,
    ProbeSeries,
    ProbeTable,
    RealServer,
    Setting,
    VirtualService,
)
from backend.services.dump_columns import SHAPES, read_filter
from backend.services.dump_tables import DumpColumn, DumpTable, tables_of


def only(dump: Dump) -> DumpTable:
    (table,) = tables_of(dump)
    return table


def test_a_counter_of_each_cpu_is_a_row_with_its_line() -> None:
    rows = (CounterRow(1, 0, {"drop": 2, "found": 7}), CounterRow(2, 1, {"drop": 3, "found": 0}))
    table = only(Dump("conntrack-stats", 2, (), counters=rows))
    assert [(row.line, row.cells) for row in table.rows] == [
        (1, ("drop", 0, 2)),
        (1, ("found", 0, 7)),
        (2, ("drop", 1, 3)),
        (2, ("found", 1, 0)),
    ]


def test_records_show_the_fields_that_are_used() -> None:
    rule = NatRule(7, "-A POSTROUTING -j MASQUERADE", "POSTROUTING", "MASQUERADE", False, False, None)
    table = only(Dump("iptables-save", 9, (), nat_rules=(rule,)))
    assert table.name == "nat rules"
    assert [column.name for column in table.columns] == [
        "text",
        "chain",
        "target",
        "fully random",
        "random",
        "syntax",
    ]
    assert table.rows[0].line == 7


def test_times_and_units_are_told_by_the_field() -> None:
    table = only(Dump("kernel-log", 1, (), messages=(KernelMessage(4, 1.5, 1_000_000_001, "x"),)))
    assert table.columns == (DumpColumn("time", "s"), DumpColumn("time", "UTC"), DumpColumn("text"))
    assert table.rows[0].cells == (1.5, "1970-01-01T00:00:01.000000001Z", "x")


def test_services_and_their_servers_are_rows_without_columns_that_nobody_fills() -> None:
    traffic = IpvsTraffic(5, 6, 7, 8, 9, per_second=True)
    server = RealServer(3, "10.0.0.7", 8080, traffic=traffic)
    service = VirtualService(2, "TCP", "10.96.0.1", 80, traffic=traffic, real_servers=(server,))
    table = only(Dump("ipvs-services", 3, (), services=(service,)))
    assert [column.name for column in table.columns][:3] == ["service", "real server", "connections"]
    assert table.columns[2].unit == "per second"
    assert table.rows[1].cells == ("TCP 10.96.0.1:80", "10.0.0.7:8080", 5, 6, 7, 8, 9)


def test_a_dump_with_several_kinds_of_records_has_several_tables() -> None:
    dump = Dump("sysctl", 2, (), settings=(Setting(1, "a.b", "1"),), gauges=(CounterRow(2, None, {"x": 1}),))
    assert [table.name for table in tables_of(dump)] == ["gauges", "settings"]


def test_an_entry_without_ports_shows_addresses_alone() -> None:
    columns = {column.name: read for column, read in SHAPES["entries"].columns}
    row = {
        f"{side}_{end}_{part}": value
        for side in ("original", "reply")
        for end in ("source", "destination")
        for part, value in (("high", 0), ("low", 0xFFFF0A000001), ("port", np.uint16(0)))
    }
    assert columns["tuple"](row) == "10.0.0.1 → 10.0.0.1"
    assert columns["tuple"]({**row, "original_source_port": 80}) == "10.0.0.1:80 → 10.0.0.1"


def test_a_probe_shows_when_it_left_what_it_took_and_what_was_put_right() -> None:
    rows = ProbeTable.of([Probe(4, 0, 7, 1_000_000_000, 1.5), Probe(5, 0, 8, None, None, 1)]).rows
    shown = [tuple(read(row) for _, read in SHAPES["probes"].columns) for row in rows]
    assert shown == [
        (1, 7, "1970-01-01T00:00:01.000000000Z", 1.5, False, False),
        (1, 8, None, None, False, True),
    ]


def test_runs_of_a_probing_tool_and_processes_are_rows() -> None:
    series = ProbeSeries(1, "hping3", "icmp", "db", "10.0.0.7")
    process = PacketProcess(3, 76, 76, "ksoftirqd/11", 771)
    dump = Dump("hping3", 3, (), probe_series=(series,), packet_processes=(process,))
    runs, processes = tables_of(dump)
    assert runs.rows[0].cells == ("hping3", "icmp", "db", "10.0.0.7")
    assert processes.rows[0].cells == (76, 76, "ksoftirqd/11", 771)


@pytest.mark.parametrize(
    ("text", "has_address", "port"),
    [
        ("", False, None),
        ("80", False, 80),
        ("10.0.0.1", True, None),
        ("10.0.0.1:65535", True, 65535),
        ("[fd00::1]:53", True, 53),
    ],
)
def test_a_filter_is_an_address_a_port_or_both(text: str, has_address: bool, port: int | None) -> None:
    found = read_filter(text, ("client",))
    assert (found.address is not None, found.port) == (has_address, port)


@pytest.mark.parametrize("text", ["pod", "10.0.0.1:65536", "99999", "10.0.0.1:x"])
def test_another_filter_is_refused_by_name(text: str) -> None:
    with pytest.raises(InvalidRequest, match="is not an address"):
        read_filter(text, ("client",))
