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
    return query.dicts(
        f"SELECT * FROM read_parquet(?) WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?",
        (table, *values, limit, offset),
    )
