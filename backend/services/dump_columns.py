"""The large tables of dumps, kept as columns: conntrack entries, IPVS connections and probes, page by page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backend.errors import InvalidRequest
from backend.forensics.addresses import address_halves
from backend.forensics.dumps.conntrack import EVENTS, FLAGS, NOT_SHOWN, STATES, protocol_name
from backend.forensics.dumps.ipvs import IPVS_PROTOCOLS, IPVS_STATES
from backend.forensics.dumps.probes import PROBE_CORRECTED, PROBE_REFUSED
from backend.forensics.findings import rfc3339
from backend.services.dump_tables import Cell, DumpColumn, Row, endpoint_cell
from backend.storage.dump_rows import RowFilter, count_rows, dump_rows
from backend.storage.packet_store import PacketQuery

Read = Callable[[dict[str, Any]], Cell]
IPVS_PROTOCOL_NAMES = {number: name for name, number in IPVS_PROTOCOLS.items()}


@dataclass(frozen=True)
class Shape:
    """How rows of such a table are shown, and the ends that a filter looks at."""

    columns: tuple[tuple[DumpColumn, Read], ...]
    ends: tuple[str, ...]


def _both_ways(row: dict[str, Any], side: str) -> str:
    ends = [
        endpoint_cell({f"x_{part}": row[f"{side}_{end}_{part}"] for part in ("high", "low", "port")}, "x")
        for end in ("source", "destination")
    ]
    return " → ".join(ends)


def _shown(name: str) -> Read:
    return lambda row: None if row[name] == NOT_SHOWN else row[name]


SHAPES = {
    "entries": Shape(
        (
            (
                DumpColumn("time", "UTC"),
                lambda row: None if row["time_ns"] == NOT_SHOWN else rfc3339(row["time_ns"]),
            ),
            (DumpColumn("event"), lambda row: EVENTS[row["event"]] or None),
            (DumpColumn("protocol"), lambda row: protocol_name(row["protocol"])),
            (DumpColumn("tuple"), lambda row: _both_ways(row, "original")),
            (DumpColumn("reply tuple"), lambda row: _both_ways(row, "reply")),
            (DumpColumn("state"), lambda row: STATES[row["state"]] or None),
            (DumpColumn("timeout", "s"), _shown("timeout_s")),
            (
                DumpColumn("flags"),
                lambda row: " ".join(n for bit, n in enumerate(FLAGS) if row["flags"] >> bit & 1),
            ),
            (DumpColumn("packets"), _shown("original_packets")),
            (DumpColumn("replies"), _shown("reply_packets")),
            (DumpColumn("zone"), lambda row: row["zone"] or None),
        ),
        ("original_source", "original_destination", "reply_source", "reply_destination"),
    ),
    "ipvs_connections": Shape(
        (
            (DumpColumn("protocol"), lambda row: IPVS_PROTOCOL_NAMES.get(row["protocol"], row["protocol"])),
            (DumpColumn("client"), lambda row: endpoint_cell(row, "client")),
            (DumpColumn("virtual"), lambda row: endpoint_cell(row, "virtual")),
            (DumpColumn("real server"), lambda row: endpoint_cell(row, "destination")),
            (DumpColumn("state"), lambda row: IPVS_STATES[row["state"]]),
            (DumpColumn("expires", "s"), lambda row: row["expires_s"]),
        ),
        ("client", "virtual", "destination"),
    ),
    "probes": Shape(
        (
            (DumpColumn("run"), lambda row: row["series"] + 1),
            (DumpColumn("sequence"), lambda row: row["sequence"]),
            (
                DumpColumn("sent", "UTC"),
                lambda row: None if row["sent_ns"] == NOT_SHOWN else rfc3339(row["sent_ns"]),
            ),
            (
                DumpColumn("round trip", "ms"),
                lambda row: None if row["rtt_ns"] == NOT_SHOWN else row["rtt_ns"] / 1e6,
            ),
            (DumpColumn("refused"), lambda row: bool(row["marks"] & PROBE_REFUSED)),
            (DumpColumn("1,000 ms taken off"), lambda row: bool(row["marks"] & PROBE_CORRECTED)),
        ),
        (),
    ),
}
"""Field of a dump -> its shape."""

NAMES = {"entries": "entries", "ipvs_connections": "connections", "probes": "probes"}


def large_table(
    query: PacketQuery, path: Path, name: str, text: str | None, page: tuple[int, int]
) -> tuple[list[Row], int]:
    """Rows of a page (offset, limit), and how many there are; raises InvalidRequest for a filter it cannot read."""
    shape = SHAPES[name]
    wanted = read_filter(text, shape.ends)
    total = count_rows(query, str(path), wanted)
    rows = dump_rows(query, str(path), wanted, page)
    return [Row(row["line"], tuple(read(row) for _, read in shape.columns)) for row in rows], total


def read_filter(text: str | None, ends: tuple[str, ...]) -> RowFilter:
    """``10.0.0.1``, ``80`` or ``10.0.0.1:80`` of any end."""
    given = (text or "").strip()
    if not given:
        return RowFilter(ends)
    if given.isdecimal() and int(given) <= 65535:
        return RowFilter(ends, port=int(given))
    address, port = _halves(given), None
    if address is None:
        host, _, last = given.rpartition(":")
        address, port = _halves(host.strip("[]")), int(last) if last.isdecimal() else None
        if address is None or port is None or port > 65535:
            raise InvalidRequest(f"`{given}` is not an address, a port or address:port.")
    return RowFilter(ends, address, port)


def _halves(text: str) -> tuple[int, int] | None:
    try:
        return address_halves(text)
    except ValueError:
        return None
