"""The same packet at other capture points: of one logical connection, same numbers, nearly the same time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from backend.forensics.packets import TCP
from backend.services.describe_packet import Packet
from backend.services.open_tables import NS_PER_S, Tables
from backend.storage import path_tables
from backend.storage.capture_tables import CaptureTables, packets_of_connections
from backend.text_classes import FileText, VantageText

NEAR_NS: Final = NS_PER_S // 2
"""Further apart the same numbers mean that it was sent again: the first repetition of a SYN comes after a second."""
LOOKED_AT: Final = 20_000
"""Packets of other capture points that one page is compared with, for each capture."""

Key = tuple[int, ...]


@dataclass(frozen=True)
class JoinedFrame:
    """The same packet at another vantage point."""

    lane: VantageText
    input: FileText
    frame: int


@dataclass(frozen=True)
class _Sighting:
    time_ns: int
    vantage: int
    place: JoinedFrame


def join_packets(
    tables: Tables, capture: CaptureTables, packets: Sequence[Packet], cids: Mapping[int, int]
) -> dict[int, tuple[JoinedFrame, ...]]:
    """By frame of `packets` (all of one capture): the same packet elsewhere, the nearest of each capture point."""
    with_cid = [packet for packet in packets if packet["connection"] in cids]
    if not with_cid:
        return {}
    times = [packet["time_ns"] for packet in with_cid]
    window = min(times) - NEAR_NS, max(times) + NEAR_NS
    others = _sightings(tables, sorted(set(cids.values())), window)
    found: dict[int, tuple[JoinedFrame, ...]] = {}
    for packet in with_cid:
        own = (capture.input, packet["vantage"])
        same = others.get((cids[packet["connection"]], *_key(packet)), [])
        nearest: dict[str, tuple[int, JoinedFrame]] = {}
        for each in same:
            distance = abs(each.time_ns - packet["time_ns"])
            if (each.place.input, each.vantage) == own or distance > NEAR_NS:
                continue
            if each.place.lane not in nearest or distance < nearest[each.place.lane][0]:
                nearest[each.place.lane] = (distance, each.place)
        found[packet["frame"]] = tuple(
            place for _, place in sorted(nearest.values(), key=lambda one: one[1].lane)
        )
    return found


def _key(packet: Packet) -> Key:
    """What translation leaves as it is."""
    names: tuple[str, ...]
    if packet["protocol"] == TCP:
        names = ("protocol", "sequence", "acknowledgement", "payload_bytes", "tcp_flags", "timestamp_value")
    else:
        names = ("protocol", "ip_id", "sequence", "payload_bytes")
    return tuple(int(packet[name]) for name in names)


def _sightings(tables: Tables, cids: list[int], window: tuple[int, int]) -> dict[Key, list[_Sighting]]:
    found: dict[Key, list[_Sighting]] = {}
    by_input: dict[str, dict[int, int]] = {}
    for cid, input_name, connection in path_tables.sightings_of_cids(tables.query, tables.sightings, cids):
        by_input.setdefault(input_name, {})[connection] = cid
    for input_name, connections in by_input.items():
        capture = tables.capture(input_name)
        if capture is None:
            continue
        rows: list[dict[str, Any]] = packets_of_connections(
            tables.query, capture, sorted(connections), window, LOOKED_AT
        )
        for row in rows:
            lane = tables.lane_of(input_name, row["vantage"])
            sighting = _Sighting(row["time_ns"], row["vantage"], JoinedFrame(lane, input_name, row["frame"]))
            found.setdefault((connections[row["connection"]], *_key(row)), []).append(sighting)
    return found
