"""Builds captures of TCP connections from their signals, as the decoder would tell them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from backend.forensics.addresses import address_halves
from backend.forensics.captures import Capture
from backend.forensics.connections import CONNECTION_DTYPE, NEVER
from backend.forensics.messages import ICMP_ERROR_DTYPE, HeldMessages, Messages, message_schema
from backend.forensics.packets import ACK, TCP
from backend.forensics.signals import SIGNAL_DTYPE
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, S

SERVER = "192.0.2.10:443"


class StumbleBuilder:
    """Connections that opened at T0_NS and their signals, at one vantage point each."""

    def __init__(self, name: str = "capture.pcapng", places: Sequence[str] = ("eth0",)) -> None:
        self.name, self.places = name, list(places)
        self._connections: list[dict[str, Any]] = []
        self._signals: list[dict[str, Any]] = []
        self._told: list[dict[str, Any]] = []

    def connection(
        self, client: str = "", server: str = SERVER, *, place: str = "eth0", **columns: Any
    ) -> int:
        """Its number; `columns` are columns of CONNECTION_DTYPE."""
        number = len(self._connections)
        row: dict[str, Any] = {
            "protocol": TCP,
            "ip_version": 4,
            "syns": 1,
            "vantage": self.places.index(place),
        }
        row |= {"first_ns": T0_NS, "syn_ns": T0_NS, "established_ns": T0_NS + MS, "last_ns": T0_NS + 60 * S}
        row |= {"client_packets": 20, "server_packets": 20, "closed_ns": NEVER}
        for end, text in (("client", client or f"10.0.0.1:{40_000 + number}"), ("server", server)):
            address, _, port = text.rpartition(":")
            row[f"{end}_high"], row[f"{end}_low"] = address_halves(address.strip("[]"))
            row[f"{end}_port"] = int(port)
        self._connections.append(row | columns)
        return number

    def signal(self, connection: int, at_ns: int, kind: int, **columns: Any) -> None:
        """A packet of the server (`from_client` 0), `at_ns` after T0_NS; `columns` are columns of SIGNAL_DTYPE."""
        row: dict[str, Any] = {
            "time_ns": T0_NS + at_ns,
            "connection": connection,
            "kind": kind,
            "tcp_flags": ACK,
        }
        self._signals.append(row | columns)

    def told_too_big(self, connection: int, mtu_bytes: int) -> None:
        """An ICMP message about a packet of the server."""
        row = self._connections[connection]
        error = {
            "ip_version": 4,
            "type": 3,
            "code": 4,
            "mtu_bytes": mtu_bytes,
            "time_ns": T0_NS + S,
            "frame": 900,
        }
        for half in ("high", "low"):
            error[f"quoted_source_{half}"] = row[f"server_{half}"]
            error[f"quoted_destination_{half}"] = row[f"client_{half}"]
        self._told.append(error)

    def build(self, *, recorded_ns: int = 3_600 * S) -> Capture:
        """`recorded_ns`: how long after T0_NS."""
        connections = _filled(self._connections, CONNECTION_DTYPE)
        signals = _filled(sorted(self._signals, key=lambda s: int(s["time_ns"])), SIGNAL_DTYPE)
        signals["frame"] = 10 * (1 + np.arange(len(signals)))
        signals["previous_frame"] = signals["frame"] - 1
        if len(signals):
            signals["vantage"] = connections["vantage"][signals["connection"]]
        span = (T0_NS, T0_NS + recorded_ns)
        capture = CaptureBuilder(self.name, self.places).build(recorded=dict.fromkeys(self.places, span))
        told = _filled(self._told, ICMP_ERROR_DTYPE)
        import pyarrow as pa

        columns = [pa.array(told[name]) for name in ICMP_ERROR_DTYPE.names or ()]
        table = pa.Table.from_arrays(columns, schema=message_schema("icmp_errors"))
        return replace(
            capture,
            packets=1_000,
            connections=connections,
            signals=signals,
            messages=Messages(icmp_errors=HeldMessages(table)),
        )


def _filled(
    rows: Sequence[dict[str, Any]], dtype: np.dtype[np.void]
) -> np.ndarray[tuple[int], np.dtype[np.void]]:
    table = np.zeros(len(rows), dtype)
    for number, row in enumerate(rows):
        for column, value in row.items():
            table[column][number] = value
    return table
