"""Hosts whose answers no vantage point could see: who was sent data after the handshake, and was never heard.

A client sends data only when the handshake is over, so the answers went another way than past these captures. A host
that talks to itself answers on its loopback."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from backend.forensics.captures import Capture
from backend.forensics.connections import NEVER
from backend.forensics.evidence.attempts.sent_syns import Bools
from backend.forensics.evidence.clocks.matched_packets import mix
from backend.forensics.evidence.clocks.sorted_rows import distinct
from backend.forensics.packets import TCP

Keys = NDArray[np.uint64]


def opened_unseen(connections: NDArray[np.void]) -> Bools:
    """Connections of which no SYN-ACK was seen, and whose client sent data after its SYN: it had got one."""
    found: Bools = (
        (connections["protocol"] == TCP)
        & (connections["syns"] > 0)
        & (connections["syn_ack_ns"] == NEVER)
        & (connections["client_bytes"] > 0)
        & (connections["data_segments"] > 0)
    )
    return found


def to_itself(rows: NDArray[np.void], source: str, destination: str) -> Bools:
    """Rows whose two ends are one address: these packets never leave their host, and what it answers itself passes no
    vantage point but its loopback."""
    same: Bools = (rows[f"{source}_high"] == rows[f"{destination}_high"]) & (
        rows[f"{source}_low"] == rows[f"{destination}_low"]
    )
    return same


def unheard_hosts(captures: Sequence[Capture]) -> Keys:
    """Keys (`matched_packets.mix`) of hosts of which no packet was seen at all, though they opened connections, or
    none but their own attempts to reach themselves."""
    opened, heard = [np.zeros(0, np.uint64)], [np.zeros(0, np.uint64)]
    for capture in captures:
        table = capture.connections
        server = mix(table["server_high"], table["server_low"])
        client = mix(table["client_high"], table["client_low"])
        own = to_itself(table, "client", "server")
        opened.append(distinct(server[(opened_unseen(table) | own) & (table["server_packets"] == 0)]))
        heard += [
            distinct(server[table["server_packets"] > 0]),
            distinct(client[(table["client_packets"] > 0) & ~own]),
        ]
    return np.setdiff1d(np.concatenate(opened), np.concatenate(heard))
