"""Builds captures of connections whose client writes twice before it waits for an answer."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from backend.forensics.captures import Capture
from backend.forensics.messages import HeldMessages
from backend.forensics.round_trips import DATA, REQUEST, ROUND_TRIP_DTYPE, ROUND_TRIP_SCHEMA
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, plain_path

SERVER = "192.0.2.10:6379"


@dataclass
class WriteBuilder:
    """One vantage point; times in ms after T0. `round_trip_ms` is that of the handshakes."""

    round_trip_ms: float = 0.1
    _packets: CaptureBuilder = field(default_factory=lambda: CaptureBuilder("client.pcap", ("eth0",)))
    _rows: list[dict[str, int]] = field(default_factory=list)
    _opened: list[str] = field(default_factory=list)

    def connect(self, at_ms: float) -> int:
        """A new connection; its number."""
        number = len(self._opened)
        client = f"10.0.0.1:{40_000 + number}"
        self._opened.append(client)
        path, at_ns = plain_path(client, SERVER, "eth0"), T0_NS + round(at_ms * MS)
        self._packets.syn(at_ns, path, isn=1_000 * (number + 1))
        self._packets.answer(at_ns + round(self.round_trip_ms * MS) - 50_000, path, isn=1_000 * (number + 1))
        return number

    def sample(
        self,
        connection: int,
        at_ms: float,
        sequence: int,
        rtt_ms: float,
        *,
        kind: int = DATA,
        from_client: int = 1,
    ) -> None:
        """A segment and the packet that acknowledges it."""
        frame = 1_000 + 2 * len(self._rows)
        row = {"sent_ns": T0_NS + round(at_ms * MS), "rtt_ns": round(rtt_ms * MS), "kind": kind}
        row |= {"connection": connection, "sequence": sequence, "from_client": from_client}
        self._rows.append(row | {"sent_frame": frame, "answer_frame": frame + 1})

    def write_twice(
        self, connection: int, at_ms: float, *, held_ms: float = 40.5, follows_ms: float = 0.03, size: int = 100,
        answer_ms: float | None = None,
    ) -> None:  # fmt: skip
        """A write, its bare ACK, the second write that follows it, and the answer to both; `answer_ms` after the first
        write the server sends data of its own."""
        sequence = 1_000 * (connection + 1) + round(at_ms) * 10
        self.sample(connection, at_ms, sequence, held_ms)
        if answer_ms is not None:
            self.sample(connection, at_ms + answer_ms, 7, 0.1, from_client=0)
        self.sample(connection, at_ms + held_ms + follows_ms, sequence + size, 0.2, kind=REQUEST)

    def build(self) -> Capture:
        """The capture."""
        rows = np.zeros(len(self._rows), ROUND_TRIP_DTYPE)
        for number, row in enumerate(self._rows):
            for column, value in row.items():
                rows[column][number] = value
        arrays = [pa.array(np.ascontiguousarray(rows[name])) for name in ROUND_TRIP_SCHEMA.names]
        table = pa.Table.from_arrays(arrays, schema=ROUND_TRIP_SCHEMA)
        return replace(self._packets.build(), round_trips=HeldMessages(table))


def talk(
    *, connections: int = 2, writes: int = 15, round_trip_ms: float = 0.1, apart_ms: float = 300, **how: float
) -> Capture:
    """Connections of so many pairs of writes; `how` is for `write_twice`."""
    builder = WriteBuilder(round_trip_ms)
    for number in range(connections):
        builder.connect(10 * number)
        for n in range(writes):
            builder.write_twice(number, 100 + 10 * number + apart_ms * n, **how)  # type: ignore[arg-type]
    return builder.build()
