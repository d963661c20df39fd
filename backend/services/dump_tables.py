"""What a dump holds as tables to look at: columns with units, and rows with the line each came from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from backend.forensics.addresses import endpoint_text
from backend.forensics.dumps import CounterRow, Dump, RealServer, VirtualService
from backend.forensics.findings import rfc3339
from backend.text_classes import DumpText, FixedText

Cell = DumpText | int | float | bool | None

UNITS = {"_bytes": "B", "_s": "s", "_ms": "ms"}
"""The end of a field's name -> its unit."""


@dataclass(frozen=True)
class DumpColumn:
    """A column and its unit, "" for a plain number or text."""

    name: FixedText
    unit: FixedText = ""


@dataclass(frozen=True)
class Row:
    """A row and the 1-based line of the text it was read from."""

    line: int
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class DumpTable:
    """One kind of record of a dump."""

    name: str
    columns: tuple[DumpColumn, ...]
    rows: Sequence[Row]


SHOWN_OTHERWISE = frozenset({"counters", "gauges", "services"})
"""Fields of a dump whose records are not shown as they are."""


def tables_of(dump: Dump) -> list[DumpTable]:
    """Every table of the dump that has rows, but those that are kept as columns."""
    found = [
        _counters("counters", dump.counters),
        _counters("gauges", dump.gauges),
        _services(dump),
        *(_records(field.name, _plain_records(dump, field.name)) for field in fields(dump)),
        _records("kernel", () if dump.kernel is None else (dump.kernel,)),
        _records("timeouts", () if dump.ipvs_timeouts is None else (dump.ipvs_timeouts,)),
        _records("load test", () if dump.load is None else dump.load.figures),
    ]
    return [table for table in found if table.rows]


def _plain_records(dump: Dump, field: str) -> Sequence[Any]:
    """What a field lists line by line: dumps of a new format are shown without a word here."""
    value = getattr(dump, field)
    if field in SHOWN_OTHERWISE or not isinstance(value, tuple):
        return ()
    return value if all(is_dataclass(each) and hasattr(each, "line") for each in value) else ()


def _counters(name: str, rows: Sequence[CounterRow]) -> DumpTable:
    columns = (DumpColumn("name"), DumpColumn("CPU"), DumpColumn("value"))
    listed = [
        Row(row.line, (counter, row.cpu, value)) for row in rows for counter, value in row.counters.items()
    ]
    return DumpTable(name, columns, listed)


def _records(name: str, records: Sequence[Any]) -> DumpTable:
    """A column for each field that is used, but the line; the record's dataclass says which there are."""
    if not records:
        return DumpTable(name.replace("_", " "), (), ())
    names = [field.name for field in fields(records[0]) if field.name != "line"]
    rows = [
        Row(record.line, tuple(_cell(each, getattr(record, each)) for each in names)) for record in records
    ]
    return _without_empty(name.replace("_", " "), [_column(each) for each in names], rows)


def _without_empty(name: str, columns: Sequence[DumpColumn], rows: Sequence[Row]) -> DumpTable:
    shown = [at for at in range(len(columns)) if any(row.cells[at] not in (None, "") for row in rows)]
    return DumpTable(
        name,
        tuple(columns[at] for at in shown),
        [Row(row.line, tuple(row.cells[at] for at in shown)) for row in rows],
    )


def _column(field: str) -> DumpColumn:
    if field.endswith("_ns"):
        return DumpColumn(field.removesuffix("_ns"), "UTC")
    for ending, unit in UNITS.items():
        if field.endswith(ending):
            return DumpColumn(field.removesuffix(ending).replace("_", " "), unit)
    return DumpColumn(field.replace("_", " "))


def _cell(field: str, value: Any) -> Cell:
    if field.endswith("_ns") and isinstance(value, int):
        return rfc3339(value)
    if isinstance(value, dict):
        return ", ".join(f"{key} {each:g}" for key, each in value.items())
    if isinstance(value, (tuple, list)):
        return ", ".join(map(str, value))
    return value  # type: ignore[no-any-return]  # records hold plain values otherwise


SERVER_COLUMNS: tuple[tuple[DumpColumn, Callable[[RealServer], Cell]], ...] = (
    (DumpColumn("forward"), lambda server: server.forward or None),
    (DumpColumn("weight"), lambda server: server.weight),
    (DumpColumn("active"), lambda server: server.active),
    (DumpColumn("inactive"), lambda server: server.inactive),
    (DumpColumn("persistent"), lambda server: server.persistent),
    (DumpColumn("upper threshold"), lambda server: server.upper_threshold),
    (DumpColumn("lower threshold"), lambda server: server.lower_threshold),
)
TRAFFIC = ("connections", "packets_in", "packets_out", "bytes_in", "bytes_out")


def service_name(service: VirtualService) -> str:
    """``TCP 10.96.0.100:80``, or the firewall mark that chooses it."""
    if service.firewall_mark is not None:
        return f"mark {service.firewall_mark}"
    return f"{service.protocol} {_endpoint(service.address, service.port)}"


def server_name(server: RealServer) -> str:
    """``10.244.1.11:8080``."""
    return _endpoint(server.address, server.port)


def _endpoint(address: str, port: int) -> str:
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def _services(dump: Dump) -> DumpTable:
    """A row for each service and for each of its servers; columns that the listing does not have are left out."""
    traffic = [
        s.traffic or next((r.traffic for r in s.real_servers if r.traffic), None) for s in dump.services
    ]
    per_second = any(each is not None and each.per_second for each in traffic)
    columns = [
        DumpColumn("service"),
        DumpColumn("scheduler"),
        DumpColumn("real server"),
        *(c for c, _ in SERVER_COLUMNS),
    ]
    columns += [DumpColumn(name.replace("_", " "), "per second" if per_second else "") for name in TRAFFIC]
    rows: list[Row] = []
    for service in dump.services:
        own = [service_name(service), service.scheduler or None, None, *(None for _ in SERVER_COLUMNS)]
        rows.append(Row(service.line, (*own, *_traffic(service))))
        rows += [_server_row(service, server) for server in service.real_servers]
    return _without_empty("services", columns, rows)


def _server_row(service: VirtualService, server: RealServer) -> Row:
    own = [cell(server) for _, cell in SERVER_COLUMNS]
    return Row(server.line, (service_name(service), None, server_name(server), *own, *_traffic(server)))


def _traffic(listed: VirtualService | RealServer) -> tuple[Cell, ...]:
    return tuple(None if listed.traffic is None else getattr(listed.traffic, name) for name in TRAFFIC)


def endpoint_cell(row: dict[str, Any], end: str) -> str:
    """An end of a row of the large tables; without a port where there is none, as of ICMP."""
    text = endpoint_text(row[f"{end}_high"], row[f"{end}_low"], row[f"{end}_port"])
    return text if row[f"{end}_port"] else text.rpartition(":")[0].strip("[]")
