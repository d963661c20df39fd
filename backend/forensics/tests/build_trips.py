"""Builds captures that hold nothing but round trips, so that a test can say when what was sent and answered."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from backend.forensics.addresses import address_halves
from backend.forensics.captures import Capture, VantagePoint
from backend.forensics.connections import BUCKET_DTYPE, CONNECTION_DTYPE
from backend.forensics.messages import HeldMessages
from backend.forensics.packets import NO_CONNECTION, PACKET_DTYPE
from backend.forensics.round_trips import ECHO, ROUND_TRIP_DTYPE, ROUND_TRIP_SCHEMA

T0_NS = 1_700_000_000_000_000_000
MS = 1_000_000
USUAL_MS = 0.1
"""Round trip of the built captures where nothing is held, as in the lab's."""

Wait = Callable[[float], float]


@dataclass
class TripBuilder:
    """Samples of one capture at one vantage point; times in ms from T0_NS."""

    name: str = "sender.pcap"
    prober: str = "10.0.0.1"
    responder: str = "10.0.0.2"
    _rows: list[tuple[float, float, int, int, int]] = field(default_factory=list)

    def add(
        self, sent_ms: float, rtt_ms: float, *, kind: int = ECHO, port: int = 0, recent_bytes: int = 1000
    ) -> TripBuilder:
        """One sample; `port` is the prober's."""
        self._rows.append((sent_ms, rtt_ms, kind, port, recent_bytes))
        return self

    def probe(
        self, times_ms: Iterable[float], rtt_ms: Wait = lambda _: USUAL_MS, *, kind: int = ECHO, port: int = 0
    ) -> TripBuilder:
        """Samples sent at these times; `rtt_ms` tells the round trip of one sent at a time."""
        for sent_ms in times_ms:
            self.add(sent_ms, rtt_ms(sent_ms), kind=kind, port=port)
        return self

    def build(
        self, *, clock_ms: float = 0.0, shorter: Wait | None = None, later: Wait | None = None
    ) -> Capture:
        """`shorter` and `later` make the view of a second vantage point: round trip and time of arrival there, by the
        time of sending; `clock_ms` is what its clock is ahead."""
        rows = np.zeros(len(self._rows), ROUND_TRIP_DTYPE)
        ends = (("prober", self.prober), ("responder", self.responder))
        for name, text in ends:
            rows[f"{name}_high"], rows[f"{name}_low"] = address_halves(text)
        rows["connection"], rows["responder_port"] = NO_CONNECTION, 80
        for number, (sent_ms, rtt_ms, kind, port, recent) in enumerate(self._rows):
            at_ms = sent_ms + clock_ms + (later(sent_ms) if later else 0.0)
            row = rows[number]
            row["sent_ns"], row["rtt_ns"] = (
                T0_NS + round(at_ms * MS),
                round((shorter(sent_ms) if shorter else rtt_ms) * MS),
            )
            row["kind"], row["prober_port"], row["recent_bytes"] = kind, port, recent
            row["sequence"] = number
            row["sent_frame"], row["answer_frame"] = 2 * number + 1, 2 * number + 2
        columns = [pa.array(np.ascontiguousarray(rows[name])) for name in ROUND_TRIP_SCHEMA.names]
        first, last = int(rows["sent_ns"].min()), int((rows["sent_ns"] + rows["rtt_ns"]).max())
        return Capture(
            name=self.name, sha256=f"{abs(hash(self.name)):064x}"[:64], format="pcap", bytes=100 * len(rows),
            packets=2 * len(rows), first_ns=first, last_ns=last,
            vantage_points=(VantagePoint(0, "eth0", "EN10MB", None, 2 * len(rows), first, last, 1, None),),
            connections=np.zeros(0, CONNECTION_DTYPE), handshakes=np.zeros(0, PACKET_DTYPE),
            buckets=np.zeros(0, BUCKET_DTYPE),
            round_trips=HeldMessages(pa.Table.from_arrays(columns, schema=ROUND_TRIP_SCHEMA)),
        )  # fmt: skip


def stalled(*stalls: tuple[float, float], usual_ms: float = USUAL_MS, drain_ms: float = 0.002) -> Wait:
    """Round trips where a queue stands still from the first to the second time of each stall (ms): what is sent then is
    answered at its end, one after the other in `drain_ms` for each ms of stall."""

    def wait(sent_ms: float) -> float:
        for begin, end in stalls:
            if begin <= sent_ms < end:
                return end - sent_ms + usual_ms + drain_ms * (sent_ms - begin)
        return usual_ms

    return wait


def every(interval_ms: float, until_ms: float, begin_ms: float = 0.0) -> list[float]:
    """Times at a fixed interval."""
    return np.arange(begin_ms, until_ms, interval_ms).tolist()
