"""Packets, time buckets and connections in the Parquet tables of a capture."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backend.storage.capture_clock import COMMON, CaptureClock
from backend.storage.packet_store import PacketQuery, Row
from backend.storage.wanted_rows import where_all
from backend.storage.write_tables import COARSE_NS

BUCKET_TABLE_NS = 1_000_000
"""Width of the stored time buckets."""

PACKET_COLUMNS = (
    "frame, time_ns, vantage, connection, captured_bytes, original_bytes, source_high, source_low, "
    "destination_high, destination_low, source_port, destination_port, protocol, tcp_flags, sequence, "
    "acknowledgement, payload_bytes, timestamp_value, ip_id, marks, tunnel, checksums"
)


@dataclass(frozen=True)
class CaptureTables:
    """Where the tables of one decoded capture are."""

    input: str
    """Name of the input; vantage points are ``<input>#<n>``."""
    folder: Path
    clock: CaptureClock = COMMON
    """Of its times against the report's."""

    @property
    def packets(self) -> str:
        """Path of the packet table."""
        return str(self.folder / "packets.parquet")

    @property
    def packet_rows(self) -> str:
        """The packet table for a FROM, with `time_ns` on the report's clock; the path is to be bound. Of a capture on
        another clock, times spare it no row groups."""
        return self._on_the_reports_clock("read_parquet(?)")

    @property
    def numbered_packet_rows(self) -> str:
        """The same with `file_row_number`."""
        return self._on_the_reports_clock("read_parquet(?, file_row_number = true)")

    def _on_the_reports_clock(self, table: str) -> str:
        if self.clock.is_common:
            return table
        return f"(SELECT * REPLACE ({self.clock.common_sql('time_ns')} AS time_ns) FROM {table})"

    @property
    def buckets(self) -> str:
        """Path of the time buckets."""
        return str(self.folder / "buckets.parquet")

    @property
    def tunnels(self) -> str:
        """Path of the tunnel paths, one row a layer."""
        return str(self.folder / "tunnels.parquet")

    @property
    def coarse(self) -> str:
        """Path of the sums over wider buckets."""
        return str(self.folder / "coarse.parquet")

    @property
    def connections(self) -> str:
        """Path of the connection table."""
        return str(self.folder / "connections.parquet")


def count_packets(query: PacketQuery, tables: CaptureTables, from_ns: int, to_ns: int) -> int:
    """Packets in a window, rounded up to whole stored buckets, a thousandth of the window or 1 ms wide."""
    path, level, width_ns = _stored_buckets(tables, (to_ns - from_ns) // 1000)
    found = query.value(
        f"SELECT coalesce(sum(packets), 0) FROM read_parquet(?) WHERE {level} AND start_ns > ? AND start_ns < ?",
        (path, from_ns - width_ns, to_ns),
    )
    return int(found)


def density(query: PacketQuery, tables: CaptureTables, window: tuple[int, int], bucket_ns: int) -> list[Row]:
    """(vantage, start_ns, packets, bytes, syns) of each bucket that holds a packet, in order."""
    from_ns, to_ns = window
    if bucket_ns >= BUCKET_TABLE_NS:
        path, level, width_ns = _stored_buckets(tables, bucket_ns)
        return query.rows(
            "SELECT vantage, (start_ns // ?) * ? AS start, sum(packets)::BIGINT, sum(bytes)::BIGINT, "
            f"sum(syns)::BIGINT FROM read_parquet(?) WHERE {level} AND start_ns > ? AND start_ns < ? "
            "GROUP BY ALL ORDER BY 1, 2",
            (bucket_ns, bucket_ns, path, from_ns - width_ns, to_ns),
        )
    return query.rows(
        "SELECT vantage, (time_ns // ?) * ? AS start, count(*), sum(original_bytes)::BIGINT, "
        "count(*) FILTER (protocol = 6 AND tcp_flags & 18 = 2) FROM read_parquet(?) "
        "WHERE time_ns >= ? AND time_ns < ? GROUP BY ALL ORDER BY 1, 2",
        (bucket_ns, bucket_ns, tables.packets, from_ns, to_ns),
    )


def stored_width_ns(width_ns: int) -> int:
    """The widest stored buckets of which that many ns are a multiple; the width is one of 1 ms."""
    return max((width for width in COARSE_NS if width_ns % width == 0), default=BUCKET_TABLE_NS)


def counts_between(
    query: PacketQuery,
    tables: CaptureTables,
    window: tuple[int | None, int | None],
    vantage: int | None,
    widths_ns: tuple[int, int],
) -> list[tuple[int, int]]:
    """(number of the interval since 1970, packets in it); the window's ends lie between stored buckets of the first
    width, of which the second, the intervals', is a multiple."""
    path, level, _ = _stored_buckets(tables, widths_ns[0])
    ends = (("start_ns >= ?", window[0]), ("start_ns < ?", window[1]), ("vantage = ?", vantage))
    where, values = where_all(ends)
    rows = query.rows(
        f"SELECT start_ns // ?, sum(packets) FROM read_parquet(?) WHERE {level} AND {where} GROUP BY 1",
        (widths_ns[1], path, *values),
    )
    return [(int(interval), int(packets)) for interval, packets in rows]


def _stored_buckets(tables: CaptureTables, widest_ns: int) -> tuple[str, str, int]:
    """(path, condition, width in ns) of the widest stored buckets that fit; 1 ms when none does."""
    width_ns = max((width for width in COARSE_NS if width <= widest_ns), default=BUCKET_TABLE_NS)
    if width_ns == BUCKET_TABLE_NS:
        return tables.buckets, "true", width_ns
    return tables.coarse, f"width_ns = {width_ns}", width_ns


def packets_between(
    query: PacketQuery, tables: CaptureTables, window: tuple[int, int], limit: int
) -> list[dict[str, Any]]:
    """The packets of a window in time order; all times are the capture's own."""
    return query.dicts(
        f"SELECT {PACKET_COLUMNS} FROM read_parquet(?) WHERE time_ns >= ? AND time_ns < ? "
        "ORDER BY time_ns, frame LIMIT ?",
        (tables.packets, *window, limit),
    )


def packets_of_connection(
    query: PacketQuery, tables: CaptureTables, connection: int, limit: int
) -> tuple[Row, list[dict[str, Any]]]:
    """The client as that vantage point saw it, (address high, address low, port), and the connection's first
    packets there in file order."""
    found = query.rows(
        "SELECT client_high, client_low, client_port, first_ns, last_ns "
        "FROM read_parquet(?, file_row_number = true) WHERE file_row_number = ?",
        (tables.connections, connection),
    )
    if not found:
        return (), []
    *client, first_ns, last_ns = found[0]
    # The times spare the row groups that lie before and after the connection.
    rows = query.rows(
        "SELECT file_row_number FROM read_parquet(?, file_row_number = true) "
        "WHERE connection = ? AND time_ns >= ? AND time_ns <= ? ORDER BY file_row_number LIMIT ?",
        (tables.packets, connection, first_ns, last_ns, limit),
    )
    return tuple(client), packets_in_rows(query, tables, [row[0] for row in rows])


def packets_in_rows(query: PacketQuery, tables: CaptureTables, rows: list[int]) -> list[dict[str, Any]]:
    """Packets by their place in the table, in the table's order; their times are on the report's clock."""
    if not rows:
        return []
    if rows[-1] - rows[0] == len(rows) - 1:
        where, wanted = "file_row_number BETWEEN ? AND ?", [rows[0], rows[-1]]
    else:
        where, wanted = f"file_row_number IN ({', '.join('?' * len(rows))})", rows
    return query.dicts(
        f"SELECT {PACKET_COLUMNS} FROM {tables.numbered_packet_rows} WHERE {where} ORDER BY file_row_number",
        (tables.packets, *wanted),
    )


def tunnel_layers(query: PacketQuery, tables: CaptureTables, tunnel: int) -> list[dict[str, Any]]:
    """The layers of a tunnel path, the outermost first (columns of `tunnels.LAYER_DTYPE`)."""
    if not tunnel:
        return []
    return query.dicts(
        "SELECT * FROM read_parquet(?) WHERE tunnel = ? ORDER BY depth", (tables.tunnels, tunnel)
    )


def frame_row(query: PacketQuery, tables: CaptureTables, frame: int) -> dict[str, Any] | None:
    """All columns of one frame; its time is the capture's own."""
    found = query.dicts("SELECT * FROM read_parquet(?) WHERE frame = ?", (tables.packets, frame))
    return found[0] if found else None


def packets_of_connections(
    query: PacketQuery, tables: CaptureTables, connections: list[int], window: tuple[int, int], limit: int
) -> list[dict[str, Any]]:
    """The packets of several connections in a window of the report's clock, both ends included."""
    return query.dicts(
        f"SELECT {PACKET_COLUMNS} FROM {tables.packet_rows} WHERE time_ns >= ? AND time_ns <= ? "
        "AND connection IN (SELECT unnest(?::BIGINT[])) LIMIT ?",
        (tables.packets, *window, connections, limit),
    )


def packets_at(query: PacketQuery, tables: CaptureTables, frames: list[int]) -> list[dict[str, Any]]:
    """The packets of some frames, ascending; their times are on the report's clock."""
    return query.dicts(
        f"SELECT {PACKET_COLUMNS} FROM {tables.packet_rows} WHERE frame IN (SELECT unnest(?::BIGINT[])) ORDER BY frame",
        (tables.packets, frames),
    )


def connections_of_frames(query: PacketQuery, tables: CaptureTables, frames: list[int]) -> list[Row]:
    """(frame, vantage point, connection) of some frames, ascending."""
    return query.rows(
        "SELECT frame, vantage, connection FROM read_parquet(?) "
        "WHERE frame IN (SELECT unnest(?::BIGINT[])) ORDER BY frame",
        (tables.packets, frames),
    )


def frames_of_connections(
    query: PacketQuery, tables: CaptureTables, connections: list[int], last_frame: int, limit: int
) -> list[tuple[int, int]]:
    """(frame, connection) of the packets of some connections up to a frame, ascending; at most `limit`."""
    rows = query.rows(
        "SELECT frame, connection FROM read_parquet(?) WHERE frame <= ? "
        "AND connection IN (SELECT unnest(?::BIGINT[])) ORDER BY frame LIMIT ?",
        (tables.packets, last_frame, connections, limit),
    )
    return [(int(frame), int(connection)) for frame, connection in rows]


def bytes_of_frames(query: PacketQuery, tables: CaptureTables, frames: list[int]) -> int:
    """Captured bytes of some frames, in sum."""
    found = query.value(
        "SELECT coalesce(sum(captured_bytes), 0) FROM read_parquet(?) "
        "WHERE frame >= ? AND frame <= ? AND frame IN (SELECT unnest(?::BIGINT[]))",
        (tables.packets, frames[0], frames[-1], frames),
    )
    return int(found)


def frames_before(
    query: PacketQuery, tables: CaptureTables, connection: int, frame: int, limit: int
) -> tuple[list[int], bool]:
    """(the last frames of a connection before one, ascending; whether these are all of them)."""
    rows = query.rows(
        "SELECT frame FROM read_parquet(?) WHERE connection = ? AND frame < ? ORDER BY frame DESC LIMIT ?",
        (tables.packets, connection, frame, limit + 1),
    )
    found = [int(row[0]) for row in rows]
    return sorted(found[:limit]), len(found) <= limit
