"""Closed connections that a dump still lists: their tuples are in use although no packet shows it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from backend.forensics.dumps import Dump
from backend.forensics.dumps.conntrack import STATES
from backend.forensics.dumps.ipvs import IPVS_STATES
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.packets import TCP

CLOSING = ("FIN_WAIT", "TIME_WAIT", "LAST_ACK", "CLOSE_WAIT", "CLOSE")
"""States of a connection that ends: a SYN with its tuple begins another one."""
LISTED_DTYPE = np.dtype(
    [
        ("client_high", "<u8"),
        ("client_low", "<u8"),
        ("server_high", "<u8"),
        ("server_low", "<u8"),
        ("client_port", "<u2"),
        ("server_port", "<u2"),
        ("from_ns", "<i8"),  # when the dump was taken
        ("until_ns", "<i8"),  # when the entry expires
        ("dump", "<i8"),  # index into the dumps
        ("line", "<i8"),
    ]
)
"""One 4-tuple that is still held; a translated connection gives two, one for each side of the NAT."""


def list_closing(dumps: Sequence[DumpInput]) -> NDArray[np.void]:
    """LISTED_DTYPE rows of all conntrack and IPVS listings whose time is known."""
    parts = [np.zeros(0, LISTED_DTYPE)]
    for number, each in enumerate(dumps):
        if each.dump.captured_at_ns is not None:
            parts += [*_of_conntrack(each.dump, number), *_of_ipvs(each.dump, number)]
    return np.concatenate(parts)


def _of_conntrack(dump: Dump, number: int) -> list[NDArray[np.void]]:
    rows = dump.entries.rows
    closing = [STATES.index(name) for name in CLOSING]
    held = (rows["event"] == 0) & (rows["protocol"] == TCP) & (rows["timeout_s"] > 0)
    rows = rows[held & np.isin(rows["state"], closing)]
    inside = {"client": "original_source", "server": "original_destination"}
    outside = {"client": "reply_destination", "server": "reply_source"}
    return [_listed(rows, ends, rows["timeout_s"], dump, number) for ends in (inside, outside)]


def _of_ipvs(dump: Dump, number: int) -> list[NDArray[np.void]]:
    rows = dump.ipvs_connections.rows
    closing = [IPVS_STATES.index(name) for name in CLOSING]
    rows = rows[(rows["protocol"] == TCP) & np.isin(rows["state"], closing) & (rows["client_port"] != 0)]
    return [
        _listed(rows, {"client": "client", "server": server}, rows["expires_s"], dump, number)
        for server in ("virtual", "destination")
    ]


def _listed(
    rows: NDArray[np.void], ends: dict[str, str], left_s: NDArray[np.int32], dump: Dump, number: int
) -> NDArray[np.void]:
    listed = np.zeros(len(rows), LISTED_DTYPE)
    for end, column in ends.items():
        for part in ("high", "low", "port"):
            listed[f"{end}_{part}"] = rows[f"{column}_{part}"]
    listed["from_ns"] = dump.captured_at_ns
    listed["until_ns"] = listed["from_ns"] + left_s.astype(np.int64) * 1_000_000_000
    listed["dump"], listed["line"] = number, rows["line"]
    return listed
