"""Connections whose server repeated its SYN-ACK although the client had acknowledged it, by server."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from backend.forensics.captures import Capture
from backend.forensics.connections import NEVER
from backend.forensics.evidence.grouped_rows import GroupedRows
from backend.forensics.evidence.retried import Endpoint
from backend.forensics.evidence.sightings import Ints, Place


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
            columns = ("vantage", "server_high", "server_low", "server_port")
            self._servers.append(GroupedRows(*(rows[name] for name in columns)))

    def frames(self, place: Place, server: Endpoint) -> list[int]:
        """The SYN-ACK of each of them, as this vantage point saw it."""
        chosen = self._servers[place.capture].of(place.index, server.high, server.low, server.port)
        frames: list[int] = self._frames[place.capture][chosen].tolist()
        return frames
