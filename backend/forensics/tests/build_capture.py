"""Builds decoded captures from single packets, so that a test can say what was sent where and when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backend.forensics.addresses import address_halves
from backend.forensics.captures import Capture, VantagePoint
from backend.forensics.connections import BUCKET_DTYPE, CONNECTION_DTYPE, NEVER
from backend.forensics.packets import ACK, DECODED_TRANSPORT, ICMP, NO_CONNECTION, PACKET_DTYPE, RST, SYN, TCP
from backend.forensics.tunnels import Tunnel

T0_NS = 1_700_000_000_000_000_000
MS = 1_000_000
S = 1_000_000_000


@dataclass(frozen=True)
class Hop:
    """A vantage point on the way of a packet and the addresses it carries there."""

    place: str
    delay_ns: int
    source: str
    destination: str


def plain_path(client: str, server: str, *places: str) -> list[Hop]:
    """The same addresses everywhere, 20 µs from one vantage point to the next."""
    return [Hop(place, 20_000 * n, client, server) for n, place in enumerate(places)]


class CaptureBuilder:
    """Collects packets of one capture file; `build` gives what the decoder would."""

    def __init__(self, name: str = "capture.pcapng", places: Sequence[str] = ("cni0", "eth0")) -> None:
        self.name, self.places = name, list(places)
        self._packets: list[dict[str, int]] = []

    def packet(self, place: str, time_ns: int, source: str, destination: str, **columns: int) -> None:
        """One packet; `columns` are columns of PACKET_DTYPE, `tcp_flags` and `sequence` among them."""
        row = {"time_ns": time_ns, "vantage": self.places.index(place), "layers": DECODED_TRANSPORT}
        row |= {"protocol": TCP, "ip_version": 4, "original_bytes": 74, "captured_bytes": 74}
        for end, text in (("source", source), ("destination", destination)):
            address, _, port = text.rpartition(":")
            row[f"{end}_high"], row[f"{end}_low"] = address_halves(address.strip("[]"))
            row[f"{end}_port"] = int(port)
        self._packets.append(row | columns)

    def syn(self, time_ns: int, hops: Sequence[Hop], *, isn: int, **columns: int) -> None:
        """One SYN at every hop. IP ID and TSval follow from ISN and time, as two packets never share both."""
        known = [hop for hop in hops if hop.place in self.places]
        marks = {"ip_id": isn % 60_000 + time_ns // MS % 5_000 + 1, "timestamp_value": time_ns // MS % 2**31}
        for hop in known:
            row = {"tcp_flags": SYN, "sequence": isn, "options_hash": 77} | marks | columns
            self.packet(hop.place, time_ns + hop.delay_ns, hop.source, hop.destination, **row)

    def answer(self, time_ns: int, hops: Sequence[Hop], *, isn: int) -> None:
        """SYN-ACK at every hop on the way back (`time_ns`: at the outermost), and the client's ACK 50 µs later."""
        furthest = max((hop.delay_ns for hop in hops), default=0)
        for hop in (hop for hop in hops if hop.place in self.places):
            at_ns = time_ns + furthest - hop.delay_ns
            row = {"tcp_flags": SYN | ACK, "sequence": isn + 7, "acknowledgement": isn + 1}
            self.packet(hop.place, at_ns, hop.destination, hop.source, **row)
            end_ns = time_ns + furthest + hop.delay_ns + 50_000
            self.packet(hop.place, end_ns, hop.source, hop.destination, tcp_flags=ACK, sequence=isn + 1)

    def connect(self, time_ns: int, hops: Sequence[Hop], *, isn: int) -> None:
        """A connection that opens within a millisecond."""
        self.syn(time_ns, hops, isn=isn)
        self.answer(time_ns + MS // 2, hops, isn=isn)

    def retry(
        self,
        time_ns: int,
        hops: Sequence[Hop],
        *,
        isn: int,
        seen_at: int,
        gap_ns: int = S,
        again: Sequence[Hop] | None = None,
    ) -> None:
        """A SYN that gets as far as the first `seen_at` hops; sent again after `gap_ns` it opens (over `again`)."""
        self.syn(time_ns, hops[:seen_at], isn=isn)
        self.connect(time_ns + gap_ns, again or hops, isn=isn)

    def build(
        self,
        *,
        clock_ns: int = 0,
        recorded: dict[str, tuple[int, int]] | None = None,
        data: tuple[int, int] = (0, 0),
    ) -> Capture:
        """`clock_ns` is added to all times; `recorded` narrows or widens what a vantage point recorded; `data` is
        (segments, segments sent again)."""
        packets = sorted(self._packets, key=lambda row: row["time_ns"])
        rows = np.zeros(len(packets), PACKET_DTYPE)
        for number, packet in enumerate(packets):
            for column, value in packet.items():
                rows[column][number] = value
        rows["frame"] = np.arange(1, len(rows) + 1)
        rows["time_ns"] += clock_ns
        connections = _track(rows)
        if len(connections):
            connections["data_segments"][0], connections["data_retransmissions"][0] = data
        points = [self._point(n, rows, clock_ns, (recorded or {}).get(p)) for n, p in enumerate(self.places)]
        rows["connection"][rows["protocol"] == ICMP] = NO_CONNECTION
        keep = (rows["protocol"] == TCP) | (rows["protocol"] == ICMP)
        return Capture(
            name=self.name,
            sha256=f"{abs(hash(self.name)):064x}"[:64],
            format="pcapng",
            bytes=100 * len(rows),
            packets=len(rows),
            first_ns=int(rows["time_ns"].min()) if len(rows) else 0,
            last_ns=int(rows["time_ns"].max()) if len(rows) else 0,
            vantage_points=tuple(points),
            connections=connections,
            handshakes=rows[keep],
            buckets=np.zeros(0, BUCKET_DTYPE),
            tunnels=tuple(Tunnel(network=n) for n in range(1 + int(rows["tunnel"].max(initial=0)))),
        )

    def _point(
        self, number: int, rows: NDArray[np.void], clock_ns: int, recorded: tuple[int, int] | None
    ) -> VantagePoint:
        times = rows["time_ns"][rows["vantage"] == number]
        span = (int(times.min()), int(times.max())) if len(times) else (0, 0)
        if recorded is not None:
            span = (recorded[0] + clock_ns, recorded[1] + clock_ns)
        return VantagePoint(
            number, self.places[number], "EN10MB", None, len(times), span[0], span[1], 1, None
        )


def _end(row: np.void, end: str) -> tuple[int, int, int]:
    return int(row[f"{end}_high"]), int(row[f"{end}_low"]), int(row[f"{end}_port"])


def _track(rows: NDArray[np.void]) -> NDArray[np.void]:
    """Number the connections in `rows` and return their table: the parts of it that the analysis reads."""
    table: list[np.void] = []
    current: dict[tuple[object, ...], int] = {}
    for row in rows:
        source, destination = _end(row, "source"), _end(row, "destination")
        place = (int(row["vantage"]), int(row["tunnel"]))
        is_syn = int(row["tcp_flags"]) & (SYN | ACK) == SYN
        forth, back = (place, source, destination), (place, destination, source)
        known = current.get(forth, current.get(back))
        if known is None or (is_syn and int(table[known]["isn"]) != int(row["sequence"])):
            known = len(table)
            table.append(_open(row, source, destination))
        current[forth if forth in current or back not in current else back] = known
        row["connection"] = known
        _advance(table[known], row, is_syn)
    return np.array([entry.item() for entry in table], CONNECTION_DTYPE)


def _open(row: np.void, source: tuple[int, int, int], destination: tuple[int, int, int]) -> np.void:
    entry: np.void = np.zeros(1, CONNECTION_DTYPE)[0]
    for name in ("vantage", "protocol", "ip_version", "vlan", "tunnel"):
        entry[name] = row[name]
    entry["network"] = row["tunnel"]  # each path of a built capture is a network of its own
    entry["client_high"], entry["client_low"], entry["client_port"] = source
    entry["server_high"], entry["server_low"], entry["server_port"] = destination
    entry["first_ns"], entry["first_frame"] = row["time_ns"], row["frame"]
    for name in ("syn_ns", "syn_frame", "syn_ack_ns", "syn_ack_frame", "established_ns", "closed_ns"):
        entry[name] = NEVER
    entry["reset_frame"] = NEVER
    return entry


def _advance(entry: np.void, row: np.void, is_syn: bool) -> None:
    time, frame, flags = int(row["time_ns"]), int(row["frame"]), int(row["tcp_flags"])
    entry["last_ns"] = time
    from_client = _end(row, "source") == _end_of(entry)
    entry["client_packets" if from_client else "server_packets"] += 1
    if is_syn:
        entry["isn"] = row["sequence"]
        entry["syns"] += 1
        if entry["syn_ns"] == NEVER:
            entry["syn_ns"], entry["syn_frame"] = time, frame
    elif flags & SYN:
        entry["syn_acks"] += 1
        if entry["syn_ack_ns"] == NEVER:
            entry["syn_ack_ns"], entry["syn_ack_frame"] = time, frame
    elif flags & RST:
        entry["resets"] |= 1 if from_client else 2
        if entry["reset_frame"] == NEVER:
            entry["reset_frame"], entry["closed_ns"] = frame, time
    elif from_client and entry["syn_ack_ns"] != NEVER and entry["established_ns"] == NEVER:
        entry["established_ns"] = time


def _end_of(entry: np.void) -> tuple[int, int, int]:
    return int(entry["client_high"]), int(entry["client_low"]), int(entry["client_port"])
