"""Packets, time buckets and connections in the Parquet tables of a capture."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backend.storage.packet_store import PacketQuery, Row

BUCKET_TABLE_NS = 1_000_000
"""Width of the stored time buckets."""

PACKET_COLUMNS = (
    "frame, time_ns, vantage, connection, captured_bytes, original_bytes, source_high, source_low, "
    "destination_high, destination_low, source_port, destination_port, protocol, tcp_flags, sequence, "
    "acknowledgement, payload_bytes, timestamp_value, ip_id, marks, tunnel"
)


@dataclass(frozen=True)
class CaptureTables:
    """Where the tables of one decoded capture are."""

    input: str
    """Name of the input; vantage points are ``<input>#<n>``."""
    folder: Path

    @property
    def packets(self) -> str:
        """Path of the packet table."""
        return str(self.folder / "packets.parquet")

    @property
    def buckets(self) -> str:
        """Path of the time buckets."""
        return str(self.folder / "buckets.parquet")

    @property
    def tunnels(self) -> str:
        """Path of the tunnel paths, one row a layer."""
        return str(self.folder / "tunnels.parquet")

    @property
    def connections(self) -> str:
        """Path of the connection table."""
        return str(self.folder / "connections.parquet")


def count_packets(query: PacketQuery, tables: CaptureTables, from_ns: int, to_ns: int) -> int:
    """Packets in a window, rounded up to whole buckets of the table."""
    found = query.value(
        "SELECT coalesce(sum(packets), 0) FROM read_parquet(?) WHERE start_ns > ? AND start_ns < ?",
        (tables.buckets, from_ns - BUCKET_TABLE_NS, to_ns),
    )
    return int(found)


def density(query: PacketQuery, tables: CaptureTables, window: tuple[int, int], bucket_ns: int) -> list[Row]:
    """(vantage, start_ns, packets, bytes, syns) of each bucket that holds a packet, in order."""
    from_ns, to_ns = window
    if bucket_ns >= BUCKET_TABLE_NS:
        return query.rows(
            "SELECT vantage, (start_ns // ?) * ? AS start, sum(packets)::BIGINT, sum(bytes)::BIGINT, "
            "sum(syns)::BIGINT FROM read_parquet(?) WHERE start_ns > ? AND start_ns < ? "
            "GROUP BY ALL ORDER BY 1, 2",
            (bucket_ns, bucket_ns, tables.buckets, from_ns - BUCKET_TABLE_NS, to_ns),
        )
    return query.rows(
        "SELECT vantage, (time_ns // ?) * ? AS start, count(*), sum(original_bytes)::BIGINT, "
        "count(*) FILTER (protocol = 6 AND tcp_flags & 18 = 2) FROM read_parquet(?) "
        "WHERE time_ns >= ? AND time_ns < ? GROUP BY ALL ORDER BY 1, 2",
        (bucket_ns, bucket_ns, tables.packets, from_ns, to_ns),
    )


def packets_between(
    query: PacketQuery, tables: CaptureTables, window: tuple[int, int], limit: int
) -> list[dict[str, Any]]:
    """The packets of a window in time order."""
    return query.dicts(
        f"SELECT {PACKET_COLUMNS} FROM read_parquet(?) WHERE time_ns >= ? AND time_ns < ? "
        "ORDER BY time_ns, frame LIMIT ?",
        (tables.packets, *window, limit),
    )


def packets_of_connection(
    query: PacketQuery, tables: CaptureTables, connection: int, limit: int
) -> list[dict[str, Any]]:
    """The packets of one connection at one vantage point, in file order."""
    return query.dicts(
        f"SELECT {PACKET_COLUMNS} FROM read_parquet(?) WHERE connection = ? ORDER BY frame LIMIT ?",
        (tables.packets, connection, limit),
    )


def client_of(query: PacketQuery, tables: CaptureTables, connection: int) -> Row | None:
    """(address high, address low, port) of the client as that vantage point saw it."""
    found = query.rows(
        "SELECT client_high, client_low, client_port FROM read_parquet(?, file_row_number = true) "
        "WHERE file_row_number = ?",
        (tables.connections, connection),
    )
    return found[0] if found else None


def tunnel_layers(query: PacketQuery, tables: CaptureTables, tunnel: int) -> list[dict[str, Any]]:
    """The layers of a tunnel path, the outermost first (columns of `tunnels.LAYER_DTYPE`)."""
    if not tunnel:
        return []
    return query.dicts(
        "SELECT * FROM read_parquet(?) WHERE tunnel = ? ORDER BY depth", (tables.tunnels, tunnel)
    )


def frame_row(query: PacketQuery, tables: CaptureTables, frame: int) -> dict[str, Any] | None:
    """All columns of one frame."""
    found = query.dicts("SELECT * FROM read_parquet(?) WHERE frame = ?", (tables.packets, frame))
    return found[0] if found else None
