"""Texts of an investigation's tables that name somebody's machines, services or requests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from backend.storage.packet_store import PacketQuery

MOST = 200_000
"""Distinct texts of one sort; names beyond it are replaced by what is computed from them alone."""


def addresses_of(query: PacketQuery, paths: str) -> list[str]:
    """Every address of the connection table, also the translated ones."""
    if not Path(paths).is_file():
        return []
    columns = ("client", "server", "nat_client", "nat_server")
    union = " UNION ".join(f"SELECT {column} AS a FROM read_parquet($1)" for column in columns)
    return [
        row[0]
        for row in query.rows(f"SELECT a FROM ({union}) WHERE a <> '' ORDER BY a LIMIT {MOST}", (paths,))
    ]


def request_texts(query: PacketQuery, requests: str, column: str) -> list[str]:
    """Distinct texts of one column of the table of requests; `column` is a name of ours."""
    return _distinct(query, [requests], column)


def lookup_names(query: PacketQuery, folders: Sequence[Path]) -> list[str]:
    """Names that were asked for by DNS, and those that TLS clients named."""
    names = _distinct(query, [str(folder / "dns.parquet") for folder in folders], "name")
    return names + _distinct(query, [str(folder / "tls.parquet") for folder in folders], "server_name")


def _distinct(query: PacketQuery, tables: Sequence[str], column: str) -> list[str]:
    there = [table for table in tables if Path(table).is_file()]
    if not there:
        return []
    found = query.rows(
        f"SELECT DISTINCT {column} AS t FROM read_parquet(?) WHERE {column} <> '' ORDER BY t LIMIT {MOST}",
        (there,),
    )
    return [row[0] for row in found]
