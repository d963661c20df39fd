"""Packets of a capture that a filter wants, page by page in order of time.

First only which packets, by the few columns that decide it; their rows are fetched afterwards. What is asked of
a packet's ends is asked of its connection first: there are far fewer connections than packets.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from backend.forensics.packets import NO_CONNECTION
from backend.storage.capture_tables import (
    BUCKET_TABLE_NS,
    CaptureTables,
    counts_between,
    stored_width_ns,
)
from backend.storage.packet_conditions import Clause, Expression, PathTables, condition_of
from backend.storage.packet_store import PacketQuery, Row, Value

Place = tuple[int, int]
"""(time_ns, row of the table): where a page begins or ends."""


@dataclass(frozen=True)
class PacketFilter:
    """Which packets are wanted; None wants all. Times are epoch ns on the report's clock, the end excluded."""

    from_ns: int | None = None
    to_ns: int | None = None
    vantage: int | None = None
    flags_set: int = 0
    flags_clear: int = 0
    address: tuple[int, int] | None = None
    """An end's address, in halves."""
    port: int | None = None
    cid: int | None = None
    text: str | None = None
    """Found in the ends of the packet's connection, as in the connection table."""
    expression: Expression | None = None
    """What a filter says."""


def find_packets(
    query: PacketQuery,
    tables: CaptureTables,
    paths: PathTables,
    wanted: PacketFilter,
    *,
    after: Place | None,
    limit: int,
) -> list[Place]:
    """The first `limit` packets after a place."""
    own = _of_the_packet(wanted, after, tables, paths)
    found: list[Place] = []
    for ends in _of_its_ends(tables, paths, wanted):
        where, parameters = _joined([*own, *ends])
        rows = query.rows(
            f"SELECT time_ns, file_row_number FROM {tables.numbered_packet_rows} WHERE {where} "
            "ORDER BY time_ns, file_row_number LIMIT ?",
            (tables.packets, *parameters, limit),
        )
        found += [(int(time_ns), int(row)) for time_ns, row in rows]
    return sorted(found)[:limit]


def count_by_time(
    query: PacketQuery, tables: CaptureTables, paths: PathTables, wanted: PacketFilter, width_ns: int
) -> list[tuple[int, int]]:
    """(number of the interval since 1970, packets in it) of intervals of that width that hold any. Stored buckets are
    on the capture's own clock."""
    by_time = wanted == PacketFilter(wanted.from_ns, wanted.to_ns, wanted.vantage)
    if by_time and width_ns % BUCKET_TABLE_NS == 0 and tables.clock.is_common:
        return _count_all(query, tables, paths, wanted, width_ns)
    return _count_rows(query, tables, paths, wanted, width_ns)


def density_by_time(
    query: PacketQuery, tables: CaptureTables, paths: PathTables, wanted: PacketFilter, width_ns: int
) -> list[Row]:
    """(vantage, start_ns, packets, bytes, syns) of each interval of that width that holds a wanted packet."""
    own = _of_the_packet(wanted, None, tables, paths)
    found: list[Row] = []
    for ends in _of_its_ends(tables, paths, wanted):
        where, parameters = _joined([*own, *ends])
        found += query.rows(
            "SELECT vantage, (time_ns // ?) * ?, count(*), sum(original_bytes)::BIGINT, "
            f"count(*) FILTER (protocol = 6 AND tcp_flags & 18 = 2) FROM {tables.packet_rows} "
            f"WHERE {where} GROUP BY ALL",
            (width_ns, width_ns, tables.packets, *parameters),
        )
    return found


def _joined(clauses: list[Clause]) -> tuple[str, list[Value]]:
    where = " AND ".join(clause for clause, _ in clauses) or "true"
    return where, [value for _, values in clauses for value in values]


def _count_all(
    query: PacketQuery, tables: CaptureTables, paths: PathTables, wanted: PacketFilter, width_ns: int
) -> list[tuple[int, int]]:
    """Of all packets of that time: whole buckets are counted already, what sticks out at the ends is not."""
    grain_ns = stored_width_ns(width_ns)
    begin_ns = None if wanted.from_ns is None else -(-wanted.from_ns // grain_ns) * grain_ns
    end_ns = None if wanted.to_ns is None else wanted.to_ns // grain_ns * grain_ns
    if begin_ns is not None and end_ns is not None and begin_ns >= end_ns:
        return _count_rows(query, tables, paths, wanted, width_ns)
    found = dict(counts_between(query, tables, (begin_ns, end_ns), wanted.vantage, (grain_ns, width_ns)))
    edges = [(wanted.from_ns, begin_ns), (end_ns, wanted.to_ns)]
    for edge in edges:
        if edge[0] is None or edge[0] == edge[1]:
            continue
        part = replace(wanted, from_ns=edge[0], to_ns=edge[1])
        for interval, packets in _count_rows(query, tables, paths, part, width_ns):
            found[interval] = found.get(interval, 0) + packets
    return sorted(found.items())


def _count_rows(
    query: PacketQuery, tables: CaptureTables, paths: PathTables, wanted: PacketFilter, width_ns: int
) -> list[tuple[int, int]]:
    own = _of_the_packet(wanted, None, tables, paths)
    found: dict[int, int] = {}
    for ends in _of_its_ends(tables, paths, wanted):
        where, parameters = _joined([*own, *ends])
        rows = query.rows(
            f"SELECT time_ns // ?, count(*) FROM {tables.packet_rows} WHERE {where} GROUP BY 1",
            (width_ns, tables.packets, *parameters),
        )
        for interval, packets in rows:
            found[int(interval)] = found.get(int(interval), 0) + int(packets)
    return sorted(found.items())


def _of_the_packet(
    wanted: PacketFilter, after: Place | None, tables: CaptureTables, paths: PathTables
) -> list[Clause]:
    clauses: list[Clause] = []
    if wanted.expression is not None:
        clauses.append(condition_of(wanted.expression, tables, paths))
    if after is not None:
        # The first half is what statistics of row groups can be compared with.
        clauses.append(("time_ns >= ?", (after[0],)))
        clauses.append(("(time_ns > ? OR file_row_number > ?)", after))
    if wanted.from_ns is not None:
        clauses.append(("time_ns >= ?", (wanted.from_ns,)))
    if wanted.to_ns is not None:
        clauses.append(("time_ns < ?", (wanted.to_ns,)))
    if wanted.vantage is not None:
        clauses.append(("vantage = ?", (wanted.vantage,)))
    if wanted.flags_set or wanted.flags_clear:
        mask = wanted.flags_set | wanted.flags_clear
        clauses.append(("protocol = 6 AND tcp_flags & ? = ?", (mask, wanted.flags_set)))
    return clauses


def _of_its_ends(tables: CaptureTables, paths: PathTables, wanted: PacketFilter) -> list[list[Clause]]:
    """Alternatives: packets of connections that fit, and packets of no connection that fit themselves."""
    connections: list[Clause] = []
    if wanted.cid is not None or wanted.text is not None:
        connections.append(_sighted(tables.input, paths, wanted))
    if wanted.address is None and wanted.port is None:
        return [connections]
    where, values = _ends(wanted, ("client", "server"))
    connections.append(
        (
            "connection IN (SELECT file_row_number FROM read_parquet(?, file_row_number = true) "
            f"WHERE {where})",
            (tables.connections, *values),
        )
    )
    if len(connections) > 1:
        return [connections]
    where, values = _ends(wanted, ("source", "destination"))
    return [connections, [("connection = ?", (NO_CONNECTION,)), (where, values)]]


def _sighted(input_name: str, paths: PathTables, wanted: PacketFilter) -> Clause:
    """Packets of logical connections."""
    clauses: list[Clause] = []
    if wanted.cid is not None:
        clauses.append(("cid = ?", (wanted.cid,)))
    if wanted.text is not None:
        found = "cid IN (SELECT cid FROM read_parquet(?) WHERE contains(search, lower(?)))"
        clauses.append((found, (paths.paths, wanted.text)))
    where = " AND ".join(clause for clause, _ in clauses)
    values = [value for _, given in clauses for value in given]
    return (
        f"connection IN (SELECT connection FROM read_parquet(?) WHERE input = ? AND {where})",
        (paths.sightings, input_name, *values),
    )


def _ends(wanted: PacketFilter, ends: tuple[str, str]) -> Clause:
    clauses: list[Clause] = []
    if wanted.address is not None:
        either = " OR ".join(f"({end}_low = ? AND {end}_high = ?)" for end in ends)
        high, low = wanted.address
        clauses.append((f"({either})", (low, high, low, high)))
    if wanted.port is not None:
        either = " OR ".join(f"{end}_port = ?" for end in ends)
        clauses.append((f"({either})", (wanted.port, wanted.port)))
    return " AND ".join(clause for clause, _ in clauses), tuple(v for _, values in clauses for v in values)


def frames_wanted(
    query: PacketQuery, tables: CaptureTables, paths: PathTables, wanted: PacketFilter, limit: int
) -> list[int]:
    """The numbers of the wanted frames, ascending, at most `limit`."""
    own = _of_the_packet(wanted, None, tables, paths)
    found: list[int] = []
    for ends in _of_its_ends(tables, paths, wanted):
        where, parameters = _joined([*own, *ends])
        rows = query.rows(
            f"SELECT frame FROM {tables.packet_rows} WHERE {where} ORDER BY frame LIMIT ?",
            (tables.packets, *parameters, limit),
        )
        found += [int(row[0]) for row in rows]
    return sorted(found)[:limit]


__all__ = [
    "PacketFilter",
    "PathTables",
    "Place",
    "count_by_time",
    "density_by_time",
    "find_packets",
    "frames_wanted",
]
