"""Builds captures of HTTP exchanges for tests, as the decoder's tables would hold them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from backend.forensics.addresses import endpoint_text
from backend.forensics.captures import Capture
from backend.forensics.connections import NEVER
from backend.forensics.messages import (
    HELLO,
    HTTP_DTYPE,
    REQUEST_COMPLETE,
    REQUEST_SEEN,
    RESPONSE_COMPLETE,
    RESPONSE_SEEN,
    TEXTS,
    TLS_DTYPE,
    HeldMessages,
    Messages,
    message_schema,
)
from backend.forensics.packets import ACK
from backend.forensics.round_trips import DATA, ROUND_TRIP_DTYPE, ROUND_TRIP_SCHEMA
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, Hop, S, plain_path

ASKED, ANSWERED = REQUEST_SEEN | REQUEST_COMPLETE, RESPONSE_SEEN | RESPONSE_COMPLETE


class HttpBuilder:
    """Collects exchanges of one capture. Times are ms after T0."""

    def __init__(self, name: str = "capture.pcapng", places: Sequence[str] = ("veth",)) -> None:
        self.packets = CaptureBuilder(name, places)
        self._rows: list[dict[str, int | str]] = []
        self._ends: list[tuple[int, str, str]] = []
        self._trips: list[tuple[dict[str, int], tuple[int, str, str]]] = []
        self._hellos: list[tuple[int, str, tuple[int, str, str]]] = []
        self._opened: set[tuple[str, str]] = set()
        self._sequence = 1_000

    def exchange(
        self,
        at_ms: float,
        client: str,
        server: str,
        line: str = "GET /",
        *,
        took_ms: float | None = 1.0,
        hops: Sequence[Hop] | None = None,
        is_old: bool = False,
        acknowledged_ms: float | None = None,
        **columns: int | str,
    ) -> None:
        """A request and its response `took_ms` later (None: never), at every hop; `is_old`: its connection was opened
        before the capture; `acknowledged_ms`: after that a bare ACK of the request came. `columns` are columns of the
        HTTP table."""
        path = list(hops) if hops is not None else plain_path(client, server, *self.packets.places)
        at_ns = T0_NS + round(at_ms * MS)
        if (client, server) not in self._opened:
            self._open(at_ns, path, is_old)
            self._opened.add((client, server))
        self._sequence += 1_000
        method, _, target = line.partition(" ")
        for hop in path:
            if hop.place not in self.packets.places:
                continue
            place = self.packets.places.index(hop.place)
            row: dict[str, int | str] = {"vantage": place, "from_client": 1, "marks": ASKED}
            row |= {"request_sequence": self._sequence, "method": method, "path": target, "host": "a.example"}
            row |= {f"request_{end}_ns": at_ns + hop.delay_ns for end in ("first", "last")}
            if took_ms is not None:
                answered_ns = at_ns + round(took_ms * MS) - hop.delay_ns
                row |= {"response_sequence": self._sequence + 500, "status": 200, "marks": ASKED | ANSWERED}
                row |= {f"response_{end}_ns": answered_ns for end in ("first", "last")}
            self._rows.append(row | columns)
            self._ends.append((place, hop.source, hop.destination))
            if acknowledged_ms is not None:
                trip = {"sent_ns": at_ns + hop.delay_ns, "rtt_ns": round(acknowledged_ms * MS), "kind": DATA}
                trip |= {"sequence": self._sequence, "from_client": 1}
                self._trips.append((trip, (place, hop.source, hop.destination)))

    def _open(self, at_ns: int, path: Sequence[Hop], is_old: bool) -> None:
        if not is_old:
            self.packets.connect(at_ns - MS, path, isn=self._sequence * 7)
            return
        for hop in (hop for hop in path if hop.place in self.packets.places):
            self.packets.packet(hop.place, at_ns - MS, hop.source, hop.destination, tcp_flags=ACK)

    def answer(self, at_ms: float, client: str, server: str) -> None:
        """A response alone, at the first place, on a connection of which no SYN and no request was seen."""
        at_ns, place = T0_NS + round(at_ms * MS), self.packets.places[0]
        if (client, server) not in self._opened:
            self.packets.packet(place, at_ns - MS, client, server, tcp_flags=ACK)
            self._opened.add((client, server))
        self._sequence += 1_000
        row: dict[str, int | str] = {"vantage": 0, "from_client": 1, "marks": ANSWERED, "status": 200}
        row |= {f"response_{end}_ns": at_ns for end in ("first", "last")}
        self._rows.append(row | {"response_sequence": self._sequence})
        self._ends.append((0, client, server))

    def silence_answers(self, place: str, *, after_ms: float) -> None:
        """From then on no response is seen at the place."""
        number, after_ns = self.packets.places.index(place), T0_NS + round(after_ms * MS)
        for row in self._rows:
            if row["vantage"] == number and int(row["request_first_ns"]) >= after_ns:
                row |= {"marks": ASKED, "status": 0, "response_sequence": 0}
                row |= {f"response_{end}_ns": NEVER for end in ("first", "last")}

    def turn(self, at_ms: float, client: str, server: str, *, took_ms: float) -> None:
        """Data of the client, and data of the server `took_ms` later, on a connection whose payload says nothing: as
        the round trips measured on either segment tell it, at the first place."""
        at_ns, place = T0_NS + round(at_ms * MS), self.packets.places[0]
        if (client, server) not in self._opened:
            self._open(at_ns, plain_path(client, server, place), False)
            self._opened.add((client, server))
        for side, sent_ns in ((1, at_ns), (0, at_ns + round(took_ms * MS))):
            self._sequence += 1_000
            trip = {"sent_ns": sent_ns, "rtt_ns": 50_000, "sequence": self._sequence, "kind": DATA}
            self._trips.append((trip | {"from_client": side}, (0, client, server)))

    def hello(self, at_ms: float, client: str, server: str, name: str) -> None:
        """A ClientHello with this server name at the first place; its connection is one of `turn`."""
        self._hellos.append((T0_NS + round(at_ms * MS), name, (0, client, server)))

    def _tls(self, number: dict[tuple[int, str, str], int]) -> HeldMessages:
        rows = np.zeros(len(self._hellos), TLS_DTYPE)
        for n, (time_ns, _, ends) in enumerate(self._hellos):
            rows[n]["time_ns"], rows[n]["connection"], rows[n]["kind"] = time_ns, number[ends], HELLO
        arrays = [pa.array(np.ascontiguousarray(rows[name])) for name in TLS_DTYPE.names or ()]
        names = [
            pa.array([name for _, name, _ in self._hellos], pa.string()),
            pa.array([""] * len(rows), pa.string()),
        ]
        return HeldMessages(pa.table([*arrays, *names], schema=message_schema("tls")))

    def _round_trips(self, number: dict[tuple[int, str, str], int]) -> HeldMessages:
        rows = np.zeros(len(self._trips), ROUND_TRIP_DTYPE)
        for n, (trip, ends) in enumerate(self._trips):
            rows["connection"][n], rows["sent_frame"][n] = number[ends], 1_000 + n
            for name, value in trip.items():
                rows[name][n] = value
        arrays = [pa.array(np.ascontiguousarray(rows[name])) for name in ROUND_TRIP_DTYPE.names or ()]
        return HeldMessages(pa.table(arrays, schema=ROUND_TRIP_SCHEMA))

    def lasts_until(self, at_ms: float) -> None:
        """The capture goes on until then: every place sees a packet."""
        for place in self.packets.places:
            self.packets.packet(place, T0_NS + round(at_ms * MS), "192.0.2.1:9", "192.0.2.2:9", tcp_flags=ACK)

    def build(self, *, clock_ns: int = 0) -> Capture:
        """The capture; `clock_ns` is added to all its times."""
        capture = self.packets.build(clock_ns=clock_ns)
        number = {}
        for n, row in enumerate(capture.connections):
            ends = [endpoint_text(*(int(row[f"{e}_{p}"]) for p in ("high", "low", "port"))) for e in _ENDS]
            number[int(row["vantage"]), ends[0], ends[1]] = n
        rows = np.zeros(len(self._rows), HTTP_DTYPE)
        for name in HTTP_DTYPE.names or ():
            if name.endswith(("_ns", "_s", "_frame")):
                rows[name] = NEVER
        texts: dict[str, list[str]] = {name: [] for name in TEXTS["http"]}
        for n, (row, ends_of) in enumerate(zip(self._rows, self._ends, strict=True)):
            for text, values in texts.items():
                values.append(str(row.get(text, "")))
            for name, value in row.items():
                if name not in texts:
                    rows[name][n] = int(value) + (clock_ns if name in _TIMES and value != NEVER else 0)
            rows["connection"][n] = number[ends_of]
            rows["request_first_frame"][n] = 2 * n + 1
            rows["request_last_frame"][n] = 2 * n + 1
            rows["response_last_frame"][n] = rows["response_first_frame"][n] = 2 * n + 2
        arrays = [pa.array(np.ascontiguousarray(rows[n])) for n in HTTP_DTYPE.names or ()]
        table = pa.table(
            [*arrays, *(pa.array(t, pa.string()) for t in texts.values())], schema=message_schema("http")
        )
        trips = self._round_trips(number)
        return replace(
            capture, messages=Messages(http=HeldMessages(table), tls=self._tls(number)), round_trips=trips
        )


_ENDS = ("client", "server")
_TIMES = tuple(f"{of}_{end}_ns" for of in ("request", "response") for end in ("first", "last"))

IMDS = "169.254.169.254:80"
ROLE = "GET /latest/meta-data/iam/security-credentials/"
CREDENTIALS = "GET /latest/meta-data/iam/security-credentials/search-role"
TOKEN = "PUT /latest/api/token"
POD = "10.1.0.7"
OLD_BOTOCORE = "Botocore/1.12.253 Python/3.11.7 Linux/6.18.44"


def expires(at_ms: float, left_s: float) -> int:
    """`expiration_ns` of credentials that have `left_s` left at `at_ms`."""
    return T0_NS + round(at_ms * MS) + round(left_s * S)


def load_credentials(
    http: HttpBuilder,
    at_ms: float,
    *,
    left_s: float | None = 900.0,
    took_ms: float = 25.0,
    caller: str = f"{POD}:40000",
    agent: str = OLD_BOTOCORE,
) -> float:
    """Role and credentials, one after the other; when they were there (ms)."""
    http.exchange(at_ms, caller, IMDS, ROLE, took_ms=took_ms, user_agent=agent)
    second = at_ms + took_ms + 0.5
    until_ns = NEVER if left_s is None else expires(second + took_ms, left_s)
    http.exchange(
        second, caller, IMDS, CREDENTIALS, took_ms=took_ms, user_agent=agent, expiration_ns=until_ns
    )
    return second + took_ms


def serve(http: HttpBuilder, number: int, at_ms: float, took_ms: float) -> None:
    """A request of a client to the pod, on a connection of its own."""
    http.exchange(at_ms, f"10.2.0.9:{20_000 + number}", f"{POD}:8000", "GET /v1/ads?q=*", took_ms=took_ms)
