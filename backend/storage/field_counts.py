"""How many packets have a field, and its most frequent values: to choose from while a filter is typed."""

from __future__ import annotations

from collections.abc import Sequence

from backend.forensics.addresses import address_text
from backend.storage.capture_tables import CaptureTables
from backend.storage.packet_fields import PacketField
from backend.storage.packet_store import PacketQuery

_ADDRESSES = 5000
"""Different addresses that are looked through for one that begins as typed."""


def count_having(query: PacketQuery, tables: CaptureTables, fields: Sequence[PacketField]) -> dict[str, int]:
    """Packets that have each field; of a flag, in which it is set. One pass over the packet table."""
    plain = [
        field for field in fields if not field.table and field.kind not in ("connection", "place", "name")
    ]
    found: dict[str, int] = {}
    if plain:
        sums = ", ".join(f"count(*) FILTER (WHERE {_having(field)})" for field in plain)
        row = query.rows(f"SELECT {sums} FROM read_parquet(?)", (tables.packets,))[0]
        found |= {field.name: int(count) for field, count in zip(plain, row, strict=True)}
    for field in fields:
        path = tables.folder / f"{field.table}.parquet"
        if field.table and path.is_file():
            sql = f"SELECT count(DISTINCT {field.frame}) FROM read_parquet(?) WHERE {field.frame} > 0"
            found[field.name] = int(query.value(sql, (str(path),)))
    return found


def _having(field: PacketField) -> str:
    return f"{field.has} AND {field.columns[0]} = 1" if field.kind == "flag" else field.has


def frequent_values(
    query: PacketQuery, tables: CaptureTables, field: PacketField, beginning: str, limit: int
) -> list[tuple[str, int]]:
    """(value as text, packets) of the most frequent values that begin so."""
    if field.kind == "address":
        return _addresses(query, tables, field, beginning, limit)
    if field.kind in ("connection", "place", "name", "presence", "seconds") or not field.columns:
        return []
    source, where = tables.packets, field.has
    if field.table:
        path = tables.folder / f"{field.table}.parquet"
        if not path.is_file():
            return []
        source, where = str(path), f"{field.frame} > 0"
    columns = ", ".join(field.columns)
    rows = query.rows(
        f"SELECT value, count(*) FROM (SELECT unnest([{columns}])::VARCHAR AS value FROM read_parquet(?) "
        f"WHERE {where}) WHERE starts_with(lower(value), lower(?)) AND value <> '' "
        "GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?",
        (source, beginning, limit),
    )
    return [(str(value), int(count)) for value, count in rows]


def _addresses(
    query: PacketQuery, tables: CaptureTables, field: PacketField, beginning: str, limit: int
) -> list[tuple[str, int]]:
    ends = " UNION ALL ".join(
        f"SELECT {end}_high AS high, {end}_low AS low FROM read_parquet(?) WHERE {field.has}"
        for end in field.columns
    )
    rows = query.rows(
        f"SELECT high, low, count(*) FROM ({ends}) GROUP BY ALL ORDER BY 3 DESC, 2 LIMIT ?",
        (*[tables.packets] * len(field.columns), _ADDRESSES),
    )
    named = [(address_text(int(high), int(low)), int(count)) for high, low, count in rows]
    return [each for each in named if each[0].startswith(beginning)][:limit]
