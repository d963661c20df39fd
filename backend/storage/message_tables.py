"""The messages of one capture: a Parquet file a kind, beside its packet table."""

from __future__ import annotations

from typing import Any

from backend.storage.capture_tables import CaptureTables
from backend.storage.packet_store import PacketQuery

_BEGINS = {
    "http": "? IN (request_first_frame, response_first_frame)",
    "dns": "frame = ?",
    "tls": "frame = ?",
    "icmp_errors": "frame = ?",
}
_FRAMES = {
    "http": ("request_first_frame", "response_first_frame"),
    "dns": ("frame",),
    "tls": ("frame",),
    "icmp_errors": ("frame",),
}


def messages_in_frame(
    query: PacketQuery, tables: CaptureTables, frame: int, limit: int
) -> list[tuple[str, dict[str, Any]]]:
    """(kind, row) of the messages that begin in a frame; over TCP a DNS message counts where it ends."""
    found: list[tuple[str, dict[str, Any]]] = []
    for kind, where in _BEGINS.items():
        path = tables.folder / f"{kind}.parquet"
        if path.is_file():
            rows = query.dicts(
                f"SELECT * FROM read_parquet(?) WHERE {where} LIMIT ?", (str(path), frame, limit)
            )
            found += [(kind, row) for row in rows]
    return found


def messages_in_frames(
    query: PacketQuery, tables: CaptureTables, frames: list[int]
) -> dict[int, list[tuple[str, dict[str, Any]]]]:
    """(kind, row) of the messages that begin in each of some frames."""
    found: dict[int, list[tuple[str, dict[str, Any]]]] = {}
    wanted = set(frames)
    for kind, columns in _FRAMES.items():
        path = tables.folder / f"{kind}.parquet"
        if not frames or not path.is_file():
            continue
        where = " OR ".join(f"{column} IN (SELECT unnest(?::BIGINT[]))" for column in columns)
        rows = query.dicts(
            f"SELECT * FROM read_parquet(?) WHERE {where} LIMIT ?",
            (str(path), *([frames] * len(columns)), 2 * len(frames)),
        )
        for row in rows:
            for frame in {row[column] for column in columns} & wanted:
                found.setdefault(frame, []).append((kind, row))
    return found
