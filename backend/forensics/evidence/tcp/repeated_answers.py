"""Connections whose server repeated its SYN-ACK although the client had acknowledged it, by server."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from backend.forensics.captures import Capture
from backend.forensics.connections import NEVER
from backend.forensics.evidence.clocks.grouped_rows import GroupedRows
from backend.forensics.evidence.clocks.matched_packets import mix
from backend.forensics.evidence.clocks.sightings import Ints, Place


class RepeatedAnswers:
    """Each capture's are found once."""

    def __init__(self, captures: Sequence[Capture]) -> None:
        self._frames: list[Ints] = []
        self._servers: list[GroupedRows] = []
        for capture in captures:
            table = capture.connections
            again = (table["syns"] == 1) & (table["syn_acks"] > 1) & (table["established_ns"] != NEVER)
            rows = table[again]
            self._frames.append(rows["syn_ack_frame"].astype(np.int64))
            host = mix(rows["server_high"], rows["server_low"])
            self._servers.append(GroupedRows(rows["vantage"], host, rows["server_port"]))

    def frames(self, place: Place, hosts: NDArray[np.uint64], port: int) -> list[int]:
        """The SYN-ACK of each of them at this port of these hosts (`matched_packets.mix`), as this vantage point saw
        it."""
        frames, servers = self._frames[place.capture], self._servers[place.capture]
        if not len(frames):
            return []
        return [
            int(n) for host in hosts.tolist() for n in frames[servers.of(place.index, host, port)].tolist()
        ]
