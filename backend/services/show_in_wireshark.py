"""Wireshark's view of a connection or a finding: expert information, columns and application messages beside ours.

Each vantage point is dissected on its own, so that a packet seen at two interfaces is no retransmission."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

from pydantic import TypeAdapter

from backend.errors import Conflict, InvalidRequest, NotFound
from backend.forensics.packets import NO_CONNECTION
from backend.forensics.tls_key_log import is_key_log
from backend.forensics.wireshark import (
    DecodedMessage,
    Difference,
    DissectedPacket,
    ExpertNote,
    WiresharkAnswer,
    differences,
)
from backend.services.describe_message import describe_message
from backend.services.describe_packet import marks_of_packet, what_is
from backend.services.open_tables import Tables, open_tables
from backend.services.read_progress import list_files
from backend.services.result_types import EpochNs
from backend.services.select_packets import select_by_finding
from backend.services.take_look import answer_of, ask_look, read_look, stored_files
from backend.storage import capture_tables, path_tables
from backend.storage.capture_tables import CaptureTables
from backend.storage.looks import Look, LookRequest, SelectedPart
from backend.storage.message_tables import messages_in_frames
from backend.storage.packet_store import PacketQuery
from backend.storage.store import Store

SHOWN_EACH: Final = 300
"""Packets that are shown of one vantage point."""
CONTEXT_EACH: Final = 2_000
"""Packets of one connection that tshark reads before those of a finding."""
_CONTEXT_OF_A_CAPTURE: Final = 20_000
_ANSWER: Final = TypeAdapter(WiresharkAnswer)


@dataclass(frozen=True)
class ComparedPacket:
    """One packet as Wireshark and Stallscope show it."""

    input: str
    frame: int
    lane: str
    """The vantage point."""
    time_ns: EpochNs
    t_rel_ns: int
    """After the first packet of all captures."""
    protocol: str
    """Wireshark's column Protocol."""
    info: str
    """Wireshark's column Info."""
    expert: tuple[ExpertNote, ...]
    messages: tuple[DecodedMessage, ...]
    """Application messages that Wireshark decodes."""
    detailed: bool
    """False: only the columns were read before a limit ended the program, so nothing is compared."""
    what: str
    """What we take it for."""
    marks: tuple[str, ...]
    """Our TCP analysis."""
    our_messages: tuple[str, ...]
    """Application messages that we decode."""
    differences: tuple[Difference, ...]


@dataclass(frozen=True)
class WiresharkView:
    """Packets of a connection or a finding as Wireshark shows them, beside Stallscope's analysis."""

    program: str
    packets: tuple[ComparedPacket, ...]
    left_out: int
    """Packets that were selected and are not shown: each vantage point has a limit."""
    tls_secrets: int
    """Lines of TLS key logs that were used."""
    problem: str
    """Why details of some packets are missing; empty when none are."""


def ask_wireshark(
    store: Store, investigation_id: str, cid: int | None, finding: str | None, instance: int | None
) -> Look:
    """Ask for the view of a connection or of a finding. Raises InvalidRequest, NotFound, Conflict."""
    if (cid is None) == (finding is None):
        raise InvalidRequest("Give either a connection or a finding.")
    with open_tables(store, investigation_id) as tables:
        if cid is not None:
            parts, total = _of_connection(tables, cid)
        else:
            frames = select_by_finding(store, investigation_id, finding or "", instance).frames
            parts, total = _of_frames(tables, frames)
    if not parts:
        raise InvalidRequest(
            "There is no packet to show: the evidence is in texts, or its captures are gone."
        )
    return ask_look(store, investigation_id, _request(store, investigation_id, parts, total))


def _request(store: Store, investigation_id: str, parts: tuple[SelectedPart, ...], total: int) -> LookRequest:
    inputs = {part.input for part in parts}
    files = list_files(store, investigation_id)
    wanted = [file for file in files if file.name in inputs and file.kind == "capture"]
    if len(wanted) < len(inputs):
        raise Conflict("A capture was removed since the analysis. Re-run the analysis.")
    # The bytes of a key log may have been removed as credentials.
    key_logs = [file for file in files if file.kind == "dump" and file.sha256 and is_key_log(file.format)]
    given = (*stored_files(wanted), *(replace(file, kind="dump") for file in stored_files(key_logs)))
    return LookRequest("wireshark", given, parts=parts, packets=total)


def _of_connection(tables: Tables, cid: int) -> tuple[tuple[SelectedPart, ...], int]:
    """(its first packets at each vantage point, how many packets it has there)."""
    row = path_tables.path_row(tables.query, tables.paths, cid)
    if row is None:
        raise NotFound("There is no such connection.")
    parts: dict[tuple[str, str], list[int]] = {}
    for sighting in row["sightings"]:
        capture = tables.capture(sighting["input"])
        if capture is not None:
            _, packets = capture_tables.packets_of_connection(
                tables.query, capture, sighting["connection"], SHOWN_EACH
            )
            frames = parts.setdefault((sighting["input"], sighting["vantage"]), [])
            frames += [packet["frame"] for packet in packets]
    found = tuple(_part(name, sorted(frames)[:SHOWN_EACH]) for (name, _), frames in parts.items() if frames)
    return found, max(row["packets"], sum(len(part.shown) for part in found))


def _part(name: str, frames: list[int]) -> SelectedPart:
    return SelectedPart(name, tuple(frames), tuple(frames))


def _of_frames(tables: Tables, frames: dict[str, list[int]]) -> tuple[tuple[SelectedPart, ...], int]:
    """(the frames with those of their connections before them, how many were wanted)."""
    parts: list[SelectedPart] = []
    for name, wanted in frames.items():
        capture = tables.capture(name)
        if capture is not None:
            parts += _parts_of_capture(tables.query, capture, wanted)
    return tuple(parts), sum(map(len, frames.values()))


def _parts_of_capture(
    query: PacketQuery, capture: CaptureTables, wanted: list[int]
) -> Iterable[SelectedPart]:
    by_vantage: dict[int, list[tuple[int, int]]] = {}
    for frame, vantage, connection in capture_tables.connections_of_frames(query, capture, wanted):
        by_vantage.setdefault(vantage, []).append((frame, connection))
    for rows in by_vantage.values():
        shown = dict(rows[:SHOWN_EACH])
        connections = sorted({each for each in shown.values() if each != NO_CONNECTION})
        before = capture_tables.frames_of_connections(
            query, capture, connections, max(shown), _CONTEXT_OF_A_CAPTURE
        )
        context = _beginnings(before) | {f for f, connection in shown.items() if connection == NO_CONNECTION}
        kept = sorted(context & shown.keys())
        if kept:
            yield SelectedPart(capture.input, tuple(sorted(f for f in context if f <= kept[-1])), tuple(kept))


def _beginnings(rows: list[tuple[int, int]]) -> set[int]:
    """The first frames of each connection, of (frame, connection) in order."""
    passed: Counter[int] = Counter()
    found: set[int] = set()
    for frame, connection in rows:
        passed[connection] += 1
        if passed[connection] <= CONTEXT_EACH:
            found.add(frame)
    return found


def read_wireshark_view(store: Store, investigation_id: str, look_id: str) -> WiresharkView:
    """The answer beside our tables. Raises NotFound, Conflict, Gone."""
    path = answer_of(store, investigation_id, look_id, "wireshark")
    answer = _ANSWER.validate_json(path.read_bytes())
    total = read_look(store, investigation_id, look_id).request.packets
    by_input: dict[str, list[DissectedPacket]] = {}
    for packet in answer.packets:
        by_input.setdefault(packet.input, []).append(packet)
    with open_tables(store, investigation_id) as tables:
        compared = [
            each
            for name, packets in by_input.items()
            if (capture := tables.capture(name)) is not None
            for each in _compared(tables, capture, packets)
        ]
    compared.sort(key=lambda each: (each.time_ns, each.input, each.frame))
    left_out = max(0, total - len(compared))
    return WiresharkView(answer.program, tuple(compared), left_out, answer.tls_secrets, answer.problem)


def _compared(
    tables: Tables, capture: CaptureTables, packets: list[DissectedPacket]
) -> Iterable[ComparedPacket]:
    frames = [packet.frame for packet in packets]
    rows = {row["frame"]: row for row in capture_tables.packets_at(tables.query, capture, frames)}
    ours = messages_in_frames(tables.query, capture, frames)
    for packet in packets:
        if packet.frame in rows:
            messages = [describe_message(*each, packet.frame) for each in ours.get(packet.frame, ())]
            yield _beside(tables, packet, rows[packet.frame], tuple(messages))


def _beside(
    tables: Tables, packet: DissectedPacket, row: dict[str, Any], messages: tuple[str, ...]
) -> ComparedPacket:
    return ComparedPacket(
        packet.input,
        packet.frame,
        tables.lane_of(packet.input, row["vantage"]),
        row["time_ns"],
        row["time_ns"] - tables.t0_ns,
        packet.protocol,
        packet.info,
        packet.expert,
        packet.messages,
        packet.detailed,
        what_is(row),
        marks_of_packet(row),
        messages,
        differences(row["marks"], packet.analysis) if packet.detailed else (),
    )
