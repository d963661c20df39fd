"""Rows of a Parquet table that a filter wants: how many, and a page of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from backend.storage.packet_store import PacketQuery, Value

Conditions = Sequence[tuple[str, Value]]
"""(condition with one ``?``, its value); None wants everything."""


def where_all(conditions: Conditions) -> tuple[str, list[Value]]:
    """The conditions that have a value, joined, and those values."""
    used = [(condition, value) for condition, value in conditions if value is not None]
    return " AND ".join(condition for condition, _ in used) or "true", [value for _, value in used]


def count_wanted(query: PacketQuery, table: str, conditions: Conditions) -> int:
    """How many rows fit."""
    where, values = where_all(conditions)
    return int(query.value(f"SELECT count(*) FROM read_parquet(?) WHERE {where}", (table, *values)))


def page_wanted(
    query: PacketQuery, table: str, conditions: Conditions, order: str, page: tuple[int, int]
) -> list[dict[str, Any]]:
    """A page (offset, limit) of the rows that fit; `order` is SQL of ours, never of a user."""
    where, values = where_all(conditions)
    offset, limit = page
    # First which, by the few columns that decide it; only then their rows.
    found = query.rows(
        f"SELECT file_row_number FROM read_parquet(?, file_row_number = true) WHERE {where} "
        f"ORDER BY {order} LIMIT ? OFFSET ?",
        (table, *values, limit, offset),
    )
    return rows_at(query, table, [row[0] for row in found])


def rows_at(query: PacketQuery, table: str, places: Sequence[int], shown: str = "*") -> list[dict[str, Any]]:
    """Rows by their place in the table, in the order given; `shown` is SQL of ours."""
    if not places:
        return []
    first, last = min(places), max(places)
    if last - first == len(places) - 1:
        where, values = "file_row_number BETWEEN ? AND ?", [first, last]
    else:
        where, values = f"file_row_number IN ({', '.join('?' * len(places))})", list(places)
    found = query.dicts(
        f"SELECT {shown} FROM read_parquet(?, file_row_number = true) WHERE {where}", (table, *values)
    )
    by_place = {row.pop("file_row_number"): row for row in found}
    return [by_place[place] for place in places]
