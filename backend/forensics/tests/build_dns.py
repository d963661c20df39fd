"""Builds captures of lookups from single messages, as the decoder would tell them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from backend.forensics.addresses import address_halves
from backend.forensics.captures import Capture
from backend.forensics.connections import CONNECTION_DTYPE
from backend.forensics.messages import DNS_DTYPE, HeldMessages, Messages, message_schema
from backend.forensics.packets import UDP
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, S

POD, RESOLVER, BACKEND = "10.244.1.5", "10.96.0.10", "10.244.1.200"
A, AAAA = 1, 28
NXDOMAIN = 3
_RECURSIVE, _ANSWER, _TRUNCATED = 0x0100, 0x8080, 0x0200


class DnsBuilder:
    """Messages at vantage points; `pod` sees the asker's addresses, every other place the translated ones."""

    def __init__(self, name: str = "dns.pcapng", places: Sequence[str] = ("pod",)) -> None:
        self.name, self.places = name, list(places)
        self._messages: list[dict[str, Any]] = []
        self._port = 30_000

    def port(self) -> int:
        """A source port that nobody used yet."""
        self._port += 1
        return self._port

    def query(self, time_ns: int, port: int, number: int, name: str, kind: int = A, **more: Any) -> None:
        """One query; `seen` names the vantage points (all), `client`, `server`, `recursive`, `over_tcp`."""
        header = _RECURSIVE if more.pop("recursive", True) else 0
        self._add(time_ns, port, number, name, kind, header, **more)

    def answer(
        self,
        time_ns: int,
        port: int,
        number: int,
        name: str,
        kind: int = A,
        *,
        rcode: int = 0,
        truncated: bool = False,
        **more: Any,
    ) -> None:
        """One answer; with `rcode` 0 it holds a record."""
        header = _RECURSIVE | _ANSWER | rcode | (_TRUNCATED if truncated else 0)
        self._add(time_ns, port, number, name, kind, header, answers=int(rcode == 0), rcode=rcode, **more)

    def lookup(self, time_ns: int, name: str, *, takes_ns: int = 2 * MS, rcode: int = 0, **more: Any) -> int:
        """A and AAAA from one socket, both answered; gives the port."""
        port, number = self.port(), time_ns // 1000 % 60_000
        for kind in (A, AAAA):
            sent_ns = time_ns + (kind == AAAA) * MS // 2
            self.query(sent_ns, port, number + kind, name, kind, **dict(more))
            self.answer(sent_ns + takes_ns, port, number + kind, name, kind, rcode=rcode, **dict(more))
        return port

    def lost_pair(
        self, time_ns: int, name: str, *, lost: int = AAAA, pause_ns: int = 5 * S, inside: bool = True
    ) -> None:
        """A and AAAA from one socket, one of them lost; both are asked again one after the other, and answered.

        `inside`: the lost query is seen at the first vantage point only."""
        port, number, other = self.port(), time_ns // 1000 % 60_000, A if lost == AAAA else AAAA
        for kind in (A, AAAA):
            seen = self.places[:1] if kind == lost and inside else self.places
            self.query(time_ns + (kind == AAAA) * MS // 2, port, number + kind, name, kind, seen=seen)
        self.answer(time_ns + 2 * MS, port, number + other, name, other)
        for step, kind in enumerate((A, AAAA)):
            at_ns = time_ns + pause_ns + 4 * MS * step
            self.query(at_ns, port, number + kind, name, kind)
            self.answer(at_ns + 2 * MS, port, number + kind, name, kind)

    def mute(self, time_ns: int, name: str, *, pause_ns: int = 5 * S, tries: int = 2) -> None:
        """A and AAAA, asked so many times, never answered."""
        port, number = self.port(), time_ns // 1000 % 60_000
        for again in range(tries):
            for kind in (A, AAAA):
                sent_ns = time_ns + again * pause_ns + (kind == AAAA) * MS // 2
                self.query(sent_ns, port, number + kind, name, kind)

    def _add(
        self,
        time_ns: int,
        port: int,
        number: int,
        name: str,
        kind: int,
        header: int,
        *,
        seen: Sequence[str] | None = None,
        client: str = POD,
        server: str = RESOLVER,
        behind: str = BACKEND,
        **columns: Any,
    ) -> None:
        back = bool(header & 0x8000)
        for place in seen if seen is not None else self.places:
            depth = self.places.index(place)
            delay_ns = 20_000 * (-depth if back else depth)
            row: dict[str, Any] = {
                "time_ns": time_ns + delay_ns,
                "vantage": depth,
                "id": number % 65_536,
                "header": header,
            }
            row |= {"type": kind, "questions": 1, "name": name, "bytes": 60}
            self._messages.append(
                row | columns | {"ends": (place, client, port, server if not depth else behind)}
            )

    def build(self, *, recorded: tuple[int, int] | None = None) -> Capture:
        """`recorded`: when every vantage point recorded; from the first message to a minute after the last."""
        messages = sorted(self._messages, key=lambda row: (row["time_ns"], row["vantage"]))
        ends = list(dict.fromkeys(row["ends"] for row in messages))
        rows = np.zeros(len(messages), DNS_DTYPE)
        for number, message in enumerate(messages):
            for column, value in message.items():
                if column not in ("ends", "name"):
                    rows[column][number] = value
            rows["connection"][number] = ends.index(message["ends"])
        rows["frame"] = np.arange(1, len(rows) + 1)
        columns = {field: pa.array(rows[field]) for field in rows.dtype.names or ()}
        table = pa.table(columns | {"name": [str(m["name"]) for m in messages]}, schema=message_schema("dns"))
        times = rows["time_ns"] if len(rows) else np.array([T0_NS])
        span = recorded or (int(times.min()), int(times.max()) + 60 * S)
        capture = CaptureBuilder(self.name, self.places).build(recorded=dict.fromkeys(self.places, span))
        return replace(
            capture,
            packets=len(rows),
            first_ns=span[0],
            last_ns=span[1],
            connections=self._connections(ends),
            messages=Messages(dns=HeldMessages(table)),
        )

    def _connections(
        self, ends: Sequence[tuple[str, str, int, str]]
    ) -> np.ndarray[tuple[int], np.dtype[np.void]]:
        table = np.zeros(len(ends), CONNECTION_DTYPE)
        for number, (place, client, port, server) in enumerate(ends):
            entry = table[number]
            entry["vantage"], entry["protocol"], entry["ip_version"] = self.places.index(place), UDP, 4
            entry["client_high"], entry["client_low"] = address_halves(client)
            entry["server_high"], entry["server_low"] = address_halves(server)
            entry["client_port"], entry["server_port"] = port, 53
        return table
