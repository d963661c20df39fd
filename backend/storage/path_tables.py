"""The connection table over all vantage points: `paths.parquet`, one row a logical connection, and
`sightings.parquet`, which finds a row from a capture's own connection number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from backend.storage.packet_store import PacketQuery
from backend.storage.wanted_rows import Conditions, rows_at, where_all

Sort = Literal[
    "start", "end", "duration", "protocol", "client", "client_port", "server", "server_port", "connect_ms",
    "tries", "outcome", "nat_client", "nat_server", "bytes", "client_bytes", "server_bytes", "packets", "findings",
    "application_ratio", "receiver_window_ratio", "network_ratio", "handshake_ratio",
]  # fmt: skip
ORDERS: dict[Sort, tuple[str, ...]] = {
    "start": ("start_ns",),
    "end": ("end_ns",),
    "duration": ("end_ns - start_ns",),
    "protocol": ("protocol",),
    "client": ("client_order", "client_port"),
    "client_port": ("client_port",),
    "server": ("server_order", "server_port"),
    "server_port": ("server_port",),
    "connect_ms": ("connect_ms",),
    "tries": ("tries",),
    "outcome": ("outcome",),
    "nat_client": ("nat_client", "nat_client_port"),
    "nat_server": ("nat_server", "nat_server_port"),
    "bytes": ("client_bytes + server_bytes",),
    "client_bytes": ("client_bytes",),
    "server_bytes": ("server_bytes",),
    "packets": ("packets",),
    "findings": ("len(finding_ids)",),
    "application_ratio": ("application_ratio",),
    "receiver_window_ratio": ("receiver_window_ratio",),
    "network_ratio": ("network_ratio",),
    "handshake_ratio": ("handshake_ratio",),
}
SHOWN = "* EXCLUDE (client_order, server_order, search)"


@dataclass(frozen=True)
class PathFilter:
    """Which connections are wanted; None wants all."""

    outcome: str | None = None
    finding: str | None = None
    text: str | None = None
    """Found anywhere in ``client:port server:port`` and their translations."""
    from_ns: int | None = None
    to_ns: int | None = None


def list_paths(
    query: PacketQuery, paths: str, wanted: PathFilter, *, sort: Sort, descending: bool, page: tuple[int, int]
) -> tuple[list[dict[str, Any]], int]:
    """A page (offset, limit) of connections, and how many there are; equal ones stay in the order of ids."""
    where, parameters = where_all(_conditions(wanted))
    order = "".join(f"{key} {'DESC' if descending else 'ASC'} NULLS LAST, " for key in ORDERS[sort])
    offset, limit = page
    # First which, by the few columns that decide it; only then their rows.
    places = query.rows(
        f"SELECT file_row_number FROM read_parquet(?, file_row_number = true) WHERE {where} "
        f"ORDER BY {order}file_row_number LIMIT ? OFFSET ?",
        (paths, *parameters, limit, offset),
    )
    total = query.value(f"SELECT count(*) FROM read_parquet(?) WHERE {where}", (paths, *parameters))
    return rows_at(query, paths, [place[0] for place in places], SHOWN), int(total)


def path_row(query: PacketQuery, paths: str, cid: int) -> dict[str, Any] | None:
    """One connection."""
    found = query.dicts(f"SELECT {SHOWN} FROM read_parquet(?) WHERE cid = ?", (paths, cid))
    return found[0] if found else None


def usual_connect_ms(query: PacketQuery, paths: str, server: str, port: int) -> float | None:
    """Median time to connect there at the first try."""
    found = query.value(
        "SELECT median(connect_ms) FROM read_parquet(?) WHERE server = ? AND server_port = ? AND tries = 1",
        (paths, server, port),
    )
    return None if found is None else float(found)


def nearest_success(query: PacketQuery, paths: str, row: dict[str, Any]) -> int | None:
    """The connection to the destination of `row` that connected at its first attempt, is in no finding and began
    nearest in time; None where there is none."""
    found = query.rows(
        "SELECT cid FROM read_parquet(?) WHERE server = ? AND server_port = ? AND protocol = ? AND cid <> ? "
        "AND outcome = 'established' AND tries = 1 AND len(finding_ids) = 0 AND len(missing_at) = 0 "
        "ORDER BY abs(start_ns - ?), cid LIMIT 1",
        (paths, row["server"], row["server_port"], row["protocol"], row["cid"], int(row["start_ns"])),
    )
    return int(found[0][0]) if found else None


def cids_of_finding(query: PacketQuery, paths: str, finding: str) -> list[int]:
    """The connections that a finding is about, in the order of its instances."""
    found = query.rows(
        "SELECT cid FROM read_parquet(?) WHERE list_contains(finding_ids, ?) ORDER BY instance, cid",
        (paths, finding),
    )
    return [int(row[0]) for row in found]


def cids_of_sightings(
    query: PacketQuery, sightings: str, input_name: str, connections: list[int]
) -> list[tuple[int, int]]:
    """(connection of that input, cid) for those connections."""
    found = query.rows(
        "SELECT connection, cid FROM read_parquet(?) WHERE input = ? AND connection >= ? AND connection <= ? "
        "AND connection IN (SELECT unnest(?::BIGINT[]))",
        (sightings, input_name, min(connections, default=0), max(connections, default=0), connections),
    )
    return [(int(connection), int(cid)) for connection, cid in found]


def sightings_of_cids(query: PacketQuery, sightings: str, cids: list[int]) -> list[tuple[int, str, int]]:
    """(cid, input, connection there) of all that was seen of these connections."""
    found = query.rows(
        "SELECT cid, input, connection FROM read_parquet(?) WHERE cid IN (SELECT unnest(?::BIGINT[]))",
        (sightings, cids),
    )
    return [(int(cid), str(name), int(connection)) for cid, name, connection in found]


def _conditions(wanted: PathFilter) -> Conditions:
    return [
        ("outcome = ?", wanted.outcome),
        ("list_contains(finding_ids, ?)", wanted.finding),
        ("contains(search, lower(?))", wanted.text),
        ("end_ns >= ?", wanted.from_ns),
        ("start_ns <= ?", wanted.to_ns),
    ]
