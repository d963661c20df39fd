"""Rows of the large tables of dumps, in the order of their lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from backend.storage.packet_store import PacketQuery, Value


@dataclass(frozen=True)
class RowFilter:
    """Which rows are wanted: those of which one of the `ends` has the address (in halves) and the port."""

    ends: tuple[str, ...]
    address: tuple[int, int] | None = None
    port: int | None = None


def count_rows(query: PacketQuery, table: str, wanted: RowFilter) -> int:
    """How many rows are wanted."""
    where, values = _where(wanted)
    return int(query.value(f"SELECT count(*) FROM read_parquet(?) WHERE {where}", (table, *values)))


def dump_rows(
    query: PacketQuery, table: str, wanted: RowFilter, page: tuple[int, int]
) -> list[dict[str, Any]]:
    """A page (offset, limit) of rows."""
    where, values = _where(wanted)
    offset, limit = page
    return query.dicts(
        "SELECT * EXCLUDE (file_row_number) FROM read_parquet(?, file_row_number = true) "
        f"WHERE {where} ORDER BY file_row_number LIMIT ? OFFSET ?",
        (table, *values, limit, offset),
    )


def _where(wanted: RowFilter) -> tuple[str, list[Value]]:
    either: list[str] = []
    values: list[Value] = []
    for end in wanted.ends:
        clauses: list[str] = []
        if wanted.address is not None:
            clauses.append(f"{end}_high = ? AND {end}_low = ?")
            values += wanted.address
        if wanted.port is not None:
            clauses.append(f"{end}_port = ?")
            values.append(wanted.port)
        if clauses:
            either.append("(" + " AND ".join(clauses) + ")")
    return " OR ".join(either) or "true", values
