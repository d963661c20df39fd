"""Packets that reached a client past the translation of addresses, and were reset by it.

The client talks to a service address; a packet comes to it from the real server's own address, on a tuple that it never
opened, and its kernel answers with RST (Kubernetes issue 74839)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backend.forensics.connections import NEVER
from backend.forensics.evidence.attempts.attempts import Attempts, Endpoint
from backend.forensics.evidence.attempts.delays import Frame
from backend.forensics.evidence.clocks.grouped_rows import GroupedRows
from backend.forensics.evidence.clocks.matched_packets import mix
from backend.forensics.evidence.clocks.sightings import Ints, Place
from backend.forensics.evidence.clocks.sorted_rows import stable_argsort
from backend.forensics.evidence.tcp.tcp_anomalies import TcpAnomalies
from backend.forensics.signals import AFTER_SILENCE

Words = NDArray[np.uint64]
_End = tuple[int, int, int]
_Ends = tuple[_End, _End]


@dataclass(frozen=True)
class UnNatedPacket:
    """One such packet, and the connection that it belongs to (`link`), both at the same vantage point."""

    node: int
    """Row of all connection tables, one after the other: the tuple that nobody opened."""
    link: int
    place: Place
    client: Endpoint
    service: Endpoint
    real: Endpoint
    frames: tuple[Frame, ...]
    """The packet and the RST."""
    syn: Frame
    """The SYN to the service address."""
    time_ns: int
    silence_s: float
    """Since the connection's last packet before; 0 where it went on without a silence of 20 s."""
    ended: bool
    """It had been closed or reset before."""
    ends_swapped: bool
    """The connection table takes the real server for the client."""


def find_un_nated(attempts: Attempts, anomalies: TcpAnomalies) -> tuple[UnNatedPacket, ...]:
    """By time, one for each connection whose client reset such a packet."""
    table = anomalies.connections
    moved = attempts.table[attempts.table["rewritten_destination"]]
    behind = np.isin(attempts.sightings.link, moved["link"]) & (attempts.sightings.transmission >= 0)
    rows = attempts.sightings.rows[behind]
    known = tuple_key(rows["destination_low"], rows["destination_port"], rows["source_port"])
    candidates, beside = _candidates(table, known), _beside(attempts, table)
    if not candidates and not beside:
        return ()
    link_of = _translated(attempts, moved, np.flatnonzero(behind), {ends for _, _, ends in candidates})
    opened = _opened(attempts, table, moved, sorted(set(link_of.values())))
    of_link = GroupedRows(attempts.sightings.link_of_node[anomalies.node])
    rank = attempts.order.rank
    found: dict[int, UnNatedPacket] = {}
    for node, swapped, ends in candidates:
        link, place = link_of.get(ends, -1), _place_of(attempts, table, node)
        own = opened.get((link, place.number))
        if own is None:
            continue  # another client's, or a vantage point behind the translation
        before = found.get(link)
        if before is None or rank[place.number] < rank[before.place.number]:
            found[link] = _un_nated_packet(anomalies, of_link, (node, own, link), place, swapped)
    for node, own, swapped in beside:
        link = int(attempts.sightings.link_of_node[own])
        if link not in found:
            place = _place_of(attempts, table, node)
            found[link] = _un_nated_packet(anomalies, of_link, (node, own, link), place, swapped)
    return tuple(sorted(found.values(), key=lambda s: (s.time_ns, s.node)))


def _beside(attempts: Attempts, table: NDArray[np.void]) -> list[tuple[int, int, bool]]:
    """(un_nated, connection, ends swapped) where nothing behind the translation was seen: the client reset a packet
    that came to the port of a connection which it had open to somebody else, and whose server then reset that one."""
    offset, found = attempts.sightings.node_offset, []
    capture = np.searchsorted(offset, np.arange(len(table)), side="right")
    usable = (table["syns"] > 0) & (table["established_ns"] != NEVER) & ((table["resets"] & 2) != 0)
    opened = np.flatnonzero(usable)
    key = _ports(table[opened], "client", capture[opened])
    opened, key = opened[stable_argsort(key)], np.sort(key)
    for client, bit in (("client", 1), ("server", 2)):
        quiet = (table["syns"] == 0) & (table["resets"] == bit) & (table[f"{client}_bytes"] == 0)
        rows = np.flatnonzero(quiet)
        mine = _ports(table[rows], client, capture[rows])
        first, last = (np.searchsorted(key, mine, side) for side in ("left", "right"))
        for at in np.flatnonzero(first < last).tolist():
            node = int(rows[at])
            known = opened[first[at] : last[at]].tolist()
            same = [n for n in known if _spans(table[n], int(table["first_ns"][node]))]
            if len(same) == 1:
                found.append((node, same[0], bit == 2))
    return found


def _spans(row: np.void, at_ns: int) -> bool:
    return int(row["established_ns"]) <= at_ns <= int(row["last_ns"])


def _ports(rows: NDArray[np.void], end: str, capture: Ints) -> Words:
    """A number for each capture, vantage point, address and port."""
    return mix(capture, rows["vantage"], *(rows[f"{end}_{part}"] for part in ("high", "low", "port")))


def tuple_key(address: Words, port: NDArray[np.generic], other: NDArray[np.generic]) -> Words:
    """One number per (address, port, port of the other end). Who needs to be sure compares equal ones again."""
    ports = (port.astype(np.uint64) << np.uint64(16)) | other.astype(np.uint64)
    spread: Words = address * np.uint64(0x9E3779B97F4A7C15) ^ ports
    return spread


def _candidates(table: NDArray[np.void], known: Words) -> list[tuple[int, bool, _Ends]]:
    """(node, ends swapped, (client, real server)). Without a SYN either end may be taken for the client: the one that
    reset and sent no data is it."""
    un_nated = (table["syns"] == 0) & (table["resets"] != 0)
    found = []
    for client, real, bit in (("client", "server", 1), ("server", "client", 2)):
        quiet = un_nated & ((table["resets"] & bit) != 0) & (table[f"{client}_bytes"] == 0)
        rows = np.flatnonzero(quiet)
        key = tuple_key(
            table[f"{real}_low"][rows], table[f"{real}_port"][rows], table[f"{client}_port"][rows]
        )
        for node in rows[np.isin(key, known)].tolist():
            found.append((node, bit == 2, (_end(table[node], client), _end(table[node], real))))
    return found


def _end(row: np.void, name: str) -> _End:
    return int(row[f"{name}_high"]), int(row[f"{name}_low"]), int(row[f"{name}_port"])


def _translated(
    attempts: Attempts, moved: NDArray[np.void], behind: Ints, wanted: set[_Ends]
) -> dict[_Ends, int]:
    """(client as it sent its SYN, real server as the SYN named it behind the translation) -> link."""
    sightings = attempts.sightings
    asked = {int(row["link"]): (_end(row, "client"), _end(row, "server")) for row in moved}
    found: dict[_Ends, int] = {}
    for at, link in zip(behind.tolist(), sightings.link[behind].tolist(), strict=True):
        client, service = asked[link]
        real = _end(sightings.rows[at], "destination")
        if (client, real) in wanted and real != service:
            found[client, real] = link
    return found


def _opened(
    attempts: Attempts, table: NDArray[np.void], moved: NDArray[np.void], links: list[int]
) -> dict[tuple[int, int], int]:
    """(link, place) -> node of the connection as its client opened it, at places before the translation."""
    service = {int(row["link"]): _end(row, "server") for row in moved[np.isin(moved["link"], links)]}
    link_of_node, found = attempts.sightings.link_of_node, {}
    for node in np.flatnonzero(np.isin(link_of_node, links) & (table["syns"] > 0)).tolist():
        link = int(link_of_node[node])
        if _end(table[node], "server") == service[link]:
            found[link, _place_of(attempts, table, node).number] = node
    return found


def _place_of(attempts: Attempts, table: NDArray[np.void], node: int) -> Place:
    capture = int(np.searchsorted(attempts.sightings.node_offset, node, side="right")) - 1
    vantage = int(table["vantage"][node])
    return next(p for p in attempts.places if p.capture == capture and p.index == vantage)


def _un_nated_packet(
    anomalies: TcpAnomalies, of_link: GroupedRows, nodes: tuple[int, int, int], place: Place, swapped: bool
) -> UnNatedPacket:
    node, own, link = nodes
    row, opened = anomalies.connections[node], anomalies.connections[own]
    client, service = anomalies.endpoints(own)
    ends = anomalies.endpoints(node)
    at_ns = int(row["first_ns"])
    frames = [int(row["first_frame"]), int(row["reset_frame"])]
    return UnNatedPacket(
        node=node,
        link=link,
        place=place,
        client=client,
        service=service,
        real=ends[0] if swapped else ends[1],
        frames=tuple((place.input, frame) for frame in frames if frame > 0),
        syn=(place.input, int(opened["syn_frame"])),
        time_ns=at_ns,
        silence_s=_silence_s(anomalies, of_link, link, int(opened["last_ns"]), at_ns),
        ended=NEVER != int(opened["closed_ns"]) <= at_ns,
        ends_swapped=swapped,
    )


def _silence_s(anomalies: TcpAnomalies, of_link: GroupedRows, link: int, last_ns: int, at_ns: int) -> float:
    if last_ns < at_ns:
        return (at_ns - last_ns) / 1e9
    rows = anomalies.rows[of_link.of(link)]
    for row in rows[(rows["kind"] & AFTER_SILENCE) != 0]:
        since_ns = int(row["time_ns"] - row["silence_ns"])
        if since_ns <= at_ns <= int(row["time_ns"]):
            return (at_ns - since_ns) / 1e9
    return 0.0
