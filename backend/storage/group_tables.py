"""Connections in groups: by the end that opened them, or by where they went and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from backend.storage.capture_tables import CaptureTables
from backend.storage.packet_store import PacketQuery, Row

Grouping = Literal["connection", "pod"]
_KEYS: dict[Grouping, str] = {
    "pod": "client",
    "connection": "concat_ws(' ', protocol, server, server_port, outcome)",
}
NO_LANE = -1


def list_groups(
    query: PacketQuery, paths: str, grouping: Grouping, finding: str | None, pod_lanes: list[str]
) -> list[dict[str, Any]]:
    """Groups of connections, those of findings first, then by packets: ``key``, what is the same in them, ``packets``
    and ``connections`` in sum, ``finding_ids``, and whether one was seen at its own interface (``at_pod``)."""
    where, values = ("list_contains(finding_ids, ?)", [finding]) if finding else ("true", [])
    return query.dicts(
        f"SELECT * FROM (SELECT {_KEYS[grouping]} AS key, min(client) AS client, min(server) AS server, "
        "min(server_port) AS server_port, min(outcome) AS outcome, sum(packets)::BIGINT AS packets, "
        "count(*) AS connections, list_sort(list_distinct(flatten(list(finding_ids)))) AS finding_ids, "
        "bool_or(list_has_any(seen_at, ?::VARCHAR[])) AS at_pod "
        f"FROM read_parquet(?) WHERE {where} GROUP BY 1) "
        "ORDER BY len(finding_ids) > 0 DESC, packets DESC, key",
        (pod_lanes, paths, *values),
    )


def keys_of_cids(query: PacketQuery, paths: str, grouping: Grouping, cids: Sequence[int]) -> dict[int, str]:
    """The group of each of those connections."""
    found = query.rows(
        f"SELECT cid, {_KEYS[grouping]} FROM read_parquet(?) WHERE cid IN (SELECT unnest(?::BIGINT[]))",
        (paths, list(cids)),
    )
    return {int(cid): str(key) for cid, key in found}


def connections_of_frames(
    query: PacketQuery, tables: CaptureTables, frames: Sequence[int]
) -> list[tuple[int, int]]:
    """(frame, connection in that capture) of those frames."""
    found = query.rows(
        "SELECT frame, connection FROM read_parquet(?) WHERE frame >= ? AND frame <= ? "
        "AND frame IN (SELECT unnest(?::BIGINT[]))",
        (tables.packets, min(frames, default=0), max(frames, default=0), list(frames)),
    )
    return [(int(frame), int(connection)) for frame, connection in found]


def density_by_group(
    query: PacketQuery,
    tables: CaptureTables,
    connections: tuple[str, str],
    grouping: Grouping,
    keys: Sequence[str],
    window: tuple[int, int],
    bucket_ns: int,
) -> list[Row]:
    """(place in `keys`, start_ns, packets, bytes, syns) of each bucket that holds a packet of such a group, in order.

    `connections` are the paths of the tables ``paths`` and ``sightings``. Packets of no connection are of the place
    after the last key; those of groups not asked for are left out.
    """
    paths, sightings = connections
    return query.rows(
        "WITH wanted AS (SELECT unnest(?::VARCHAR[]) AS key, unnest(range(?)) AS place), "
        f"of_connection AS (SELECT s.connection, max(coalesce(wanted.place, {NO_LANE})) AS place "
        f"FROM read_parquet(?) s JOIN (SELECT cid, {_KEYS[grouping]} AS key FROM read_parquet(?)) USING (cid) "
        "LEFT JOIN wanted USING (key) WHERE s.input = ? GROUP BY 1) "
        "SELECT coalesce(of_connection.place, ?) AS place, (time_ns // ?) * ? AS start, count(*), "
        "sum(original_bytes)::BIGINT, count(*) FILTER (protocol = 6 AND tcp_flags & 18 = 2) "
        "FROM read_parquet(?) packets LEFT JOIN of_connection USING (connection) "
        f"WHERE time_ns >= ? AND time_ns < ? AND coalesce(of_connection.place, ?) <> {NO_LANE} "
        "GROUP BY ALL ORDER BY 1, 2",
        (
            list(keys), len(keys), sightings, paths, tables.input, len(keys), bucket_ns, bucket_ns,
            tables.packets, *window, len(keys),
        ),
    )  # fmt: skip
