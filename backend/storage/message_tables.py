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
