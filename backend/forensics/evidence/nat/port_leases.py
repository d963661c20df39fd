"""Who held which outgoing port from when to when, from packets behind NAT and from conntrack dumps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from backend.forensics.captures import Capture
from backend.forensics.connections import NEVER
from backend.forensics.dumps import Dump
from backend.forensics.dumps.conntrack import EVENT_DESTROY, EVENT_NEW, NOT_SHOWN
from backend.forensics.evidence.attempts.attempts import Attempts
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.clocks.sorted_rows import lexsort, stable_argsort
from backend.forensics.packets import TCP, UDP

LEASE_DTYPE = np.dtype(
    [
        ("outer_high", "<u8"),
        ("outer_low", "<u8"),
        ("destination_high", "<u8"),
        ("destination_low", "<u8"),
        ("destination_port", "<u2"),
        ("protocol", "u1"),
        ("port", "<u2"),
        ("inner_port", "<u2"),  # before translation; 0 when not known
        ("from_ns", "<i8"),
        ("until_ns", "<i8"),
        ("line", "<i8"),  # of the dump, NEVER for packets
        ("capture", "<i8"),  # index of the capture and
        ("frame", "<i8"),  # frame of the SYN, NEVER for dumps
        ("link", "<i8"),
    ]
)
"""One outgoing port held towards one destination. Times are on the reference clock."""


def translated_nodes(captures: Sequence[Capture], attempts: Attempts) -> NDArray[np.void]:
    """Leases of connections whose source address was rewritten, from the vantage points behind the NAT.

    A lease lasts from the SYN to the close at least: conntrack holds the port longer than packets show."""
    table = attempts.table
    links = table["link"][table["rewritten_source"]]
    if not len(links):
        return np.zeros(0, LEASE_DTYPE)
    row_of_link = np.full(int(attempts.sightings.link_of_node.max()) + 1, -1, np.int64)
    row_of_link[links] = np.flatnonzero(table["rewritten_source"])
    parts = []
    for number, capture in enumerate(captures):
        offset = attempts.sightings.node_offset[number]
        links_here = attempts.sightings.link_of_node[offset:][: len(capture.connections)]
        parts.append(_behind_nat(capture, row_of_link[links_here], attempts, number))
    leases = np.concatenate(parts)
    # Two vantage points behind the NAT show one lease.
    names = ["outer_high", "outer_low", "destination_high", "destination_low", "destination_port", "port"]
    _, first = np.unique(leases[[*names, "link"]], return_index=True)
    return leases[first]


def _behind_nat(capture: Capture, row: Ints, attempts: Attempts, number: int) -> NDArray[np.void]:
    rows, table = capture.connections, attempts.table
    chosen = np.flatnonzero((row >= 0) & (rows["syns"] > 0) & (rows["protocol"] == TCP))
    inner = table[row[chosen]]
    outside = (rows["client_low"][chosen] != inner["client_low"]) | (
        rows["client_high"][chosen] != inner["client_high"]
    )
    chosen, inner = chosen[outside], inner[outside]
    leases = np.zeros(len(chosen), LEASE_DTYPE)
    for name, column in (("outer", "client"), ("destination", "server")):
        for part in ("high", "low"):
            leases[f"{name}_{part}"] = rows[f"{column}_{part}"][chosen]
    leases["destination_port"], leases["protocol"] = rows["server_port"][chosen], TCP
    leases["port"], leases["inner_port"] = rows["client_port"][chosen], inner["client_port"]
    closed, last = rows["closed_ns"][chosen], rows["last_ns"][chosen]
    leases["from_ns"] = attempts.clocks.on_reference(number, rows["syn_ns"][chosen])
    leases["until_ns"] = attempts.clocks.on_reference(number, np.where(closed != NEVER, closed, last))
    leases["capture"] = number
    leases["link"], leases["line"], leases["frame"] = inner["link"], NEVER, rows["syn_frame"][chosen]
    return leases


def leases_of_dump(dump: Dump) -> NDArray[np.void]:
    """Leases of entries whose source was rewritten. A listing gives those of its moment (0 when unknown), an event
    listing those between NEW and DESTROY."""
    rows = dump.entries.rows
    translated = (rows["reply_destination_low"] != rows["original_source_low"]) | (
        rows["reply_destination_high"] != rows["original_source_high"]
    )
    rows = rows[translated & np.isin(rows["protocol"], (TCP, UDP))]
    if dump.kind != "conntrack-events":
        taken_ns = dump.captured_at_ns or 0
        return _leases(rows, np.full(len(rows), taken_ns), np.full(len(rows), taken_ns + 1))
    rows = rows[rows["time_ns"] != NOT_SHOWN]
    return _of_events(rows[stable_argsort(rows["time_ns"])])


def _of_events(rows: NDArray[np.void]) -> NDArray[np.void]:
    """Each NEW with what follows of its reply tuple: until DESTROY, else until the last shown timeout ends.

    Listings lose lines, so a lease never outlasts the timeout that its last event shows."""
    names = ("reply_destination_high", "reply_destination_low", "reply_source_high", "reply_source_low")
    keys = [rows[n] for n in (*names, "reply_source_port", "reply_destination_port", "protocol")]
    order = lexsort((np.arange(len(rows)), *keys))
    rows = rows[order]
    new = np.ones(len(rows), np.bool_)
    new[1:] = rows["event"][1:] == EVENT_NEW
    for key in keys:
        ordered = key[order]
        new[1:] |= ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(new)
    # Of an empty listing there is no last row to end with.
    ends = np.append(starts[1:], len(rows))[: len(starts)] - 1
    last = rows[ends]
    timeout_s = np.maximum(last["timeout_s"].astype(np.int64), 0)
    until_ns = np.where(
        last["event"] == EVENT_DESTROY, last["time_ns"], last["time_ns"] + timeout_s * 1_000_000_000
    )
    return _leases(rows[starts], rows["time_ns"][starts], until_ns)


def _leases(rows: NDArray[np.void], from_ns: Ints, until_ns: Ints) -> NDArray[np.void]:
    leases = np.zeros(len(rows), LEASE_DTYPE)
    for name, column in (("outer", "reply_destination"), ("destination", "reply_source")):
        for part in ("high", "low"):
            leases[f"{name}_{part}"] = rows[f"{column}_{part}"]
    leases["destination_port"], leases["protocol"] = rows["reply_source_port"], rows["protocol"]
    leases["port"], leases["inner_port"] = rows["reply_destination_port"], rows["original_source_port"]
    leases["from_ns"], leases["until_ns"], leases["line"] = from_ns, until_ns, rows["line"]
    leases["capture"] = leases["frame"] = leases["link"] = NEVER
    return leases
