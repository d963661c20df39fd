"""Hosts whose answers no vantage point could see: who was sent data after the handshake, and was never heard.

A client sends data only when the handshake is over, so the answers went another way than past these captures."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from backend.forensics.captures import Capture
from backend.forensics.connections import NEVER
from backend.forensics.evidence.matched_packets import mix
from backend.forensics.evidence.sent_syns import Bools
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


def unheard_hosts(captures: Sequence[Capture]) -> Keys:
    """Keys (`matched_packets.mix`) of hosts of which no packet was seen at all, though they opened connections."""
    opened, heard = [np.zeros(0, np.uint64)], [np.zeros(0, np.uint64)]
    for capture in captures:
        table = capture.connections
        server = mix(table["server_high"], table["server_low"])
        client = mix(table["client_high"], table["client_low"])
        opened.append(np.unique(server[opened_unseen(table) & (table["server_packets"] == 0)]))
        heard += [
            np.unique(server[table["server_packets"] > 0]),
            np.unique(client[table["client_packets"] > 0]),
        ]
    return np.setdiff1d(np.concatenate(opened), np.concatenate(heard))
