"""Packets of all captures that a filter wants, in order of time, page by page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from backend.errors import InvalidRequest
from backend.forensics.addresses import address_halves
from backend.services.describe_message import describe_message
from backend.services.describe_packet import (
    PROTOCOL_NAMES,
    Packet,
    destination_of,
    flags_of,
    marks_of_packet,
    source_of,
    what_is,
)
from backend.services.join_packets import JoinedFrame, join_packets
from backend.services.open_tables import Tables, open_tables
from backend.services.packet_language.meaning import Meaning
from backend.services.packet_language.parse import read_filter
from backend.services.result_types import EpochNs
from backend.services.scope import WHOLE, Scope
from backend.storage import capture_tables, path_tables
from backend.storage.capture_tables import CaptureTables
from backend.storage.message_tables import messages_in_frames
from backend.storage.packet_conditions import AllOf, Expression, InTable
from backend.storage.packet_pages import PacketFilter, PathTables, Place, find_packets
from backend.storage.store import Store
from backend.text_classes import (
    AddressText,
    FileText,
    FixedText,
    IdText,
    PacketInfoText,
    ProseText,
    VantageText,
)

FLAG_BITS = {"FIN": 1, "SYN": 2, "RST": 4, "PSH": 8, "ACK": 16, "URG": 32, "ECE": 64, "CWR": 128}
NO_CURSOR = "The cursor is not one that a page gave."
MAX_INTEGER = 2**62


@dataclass(frozen=True)
class PacketOptions:
    """The filter as it was asked; None wants all. Times are ns after t0, the end excluded."""

    from_t: int | None = None
    to_t: int | None = None
    lane: str | None = None
    """``<input>#<vantage>``, or an input alone."""
    address: str | None = None
    port: int | None = None
    flags: str | None = None
    """``SYN,!ACK``: names that are set, or with ``!`` not set."""
    cid: int | None = None
    text: str | None = None
    filter: str | None = None
    """In the language of `packet_language`."""
    within: tuple[str, ...] = ()
    """More filters in it, all of which must hold."""
    listed: str | None = None
    """A Parquet file of (input, frame): none but these."""


@dataclass(frozen=True)
class PacketLine:
    """A row of the packet list; `t` is ns after t0, on the clock that all captures share. A single frame has
    the time of its file's clock."""

    time_ns: EpochNs
    t: int
    lane: VantageText
    input: FileText
    frame: int
    what: ProseText
    protocol: FixedText
    source: AddressText
    destination: AddressText
    flags: ProseText
    sequence: int
    acknowledgement: int
    payload_bytes: int
    original_bytes: int
    cid: int | None
    info: PacketInfoText = ""
    """What is seen in it, and the message that begins in it."""
    joined: tuple[JoinedFrame, ...] = ()
    """The same packet at other capture points."""
    findings: tuple[FixedText, ...] = ()
    """Ids of the findings that it is evidence of."""


@dataclass(frozen=True)
class PacketList:
    """A page of packets in order of time; the total is given only where an offset was requested."""

    items: tuple[PacketLine, ...]
    next_cursor: IdText | None
    total: int | None = None


Found = tuple[int, int, int]
"""(time_ns, number of the capture, row of its table): the order of the list, and a cursor."""


def list_packets(
    store: Store,
    investigation_id: str,
    options: PacketOptions,
    *,
    limit: int,
    cursor: str | None,
    scope: Scope = WHOLE,
) -> PacketList:
    """The first packets after the cursor that are wanted."""
    after = _read_cursor(cursor)
    with open_tables(store, investigation_id, scope) as tables:
        wanted = packet_filter(options, tables)
        paths = PathTables(tables.paths, tables.sightings)
        found: list[Found] = []
        for number, capture, vantage in wanted_captures(tables, options.lane):
            places = find_packets(
                tables.query,
                capture,
                paths,
                at_vantage(wanted, vantage),
                after=_after(after, number),
                limit=limit + 1,
            )
            found += [(time_ns, number, row) for time_ns, row in places]
        page = sorted(found)[: limit + 1]
        lines = packet_lines(tables, page[:limit])
    more = len(page) > limit
    return PacketList(lines, ".".join(map(str, page[limit - 1])) if more else None)


def _read_cursor(cursor: str | None) -> Found | None:
    if cursor is None:
        return None
    parts = cursor.split(".")
    try:
        time_ns, number, row = (int(part) for part in parts)
    except ValueError:
        raise InvalidRequest(NO_CURSOR) from None
    if not (abs(time_ns) < MAX_INTEGER and 0 <= number < MAX_INTEGER and 0 <= row < MAX_INTEGER):
        raise InvalidRequest(NO_CURSOR)
    return time_ns, number, row


def _after(after: Found | None, number: int) -> Place | None:
    """The cursor as capture `number` sees it: of packets at the same time, those of earlier captures are read."""
    if after is None:
        return None
    time_ns, at, row = after
    if number == at:
        return time_ns, row
    return (time_ns, -1) if number > at else (time_ns + 1, -1)


def packet_filter(options: PacketOptions, tables: Tables) -> PacketFilter:
    """The options in the terms of the tables; raises InvalidRequest, or BadFilter, where it cannot be."""
    tables.scope.check_filter(options.filter)
    from_ns, to_ns = tables.absolute(options.from_t, options.to_t)
    address, text = options.address, options.text
    if text is not None and address is None and _is_address(text):
        # A whole address is also looked for in packets of no connection.
        address, text = text, None
    if address is not None and not _is_address(address):
        raise InvalidRequest(f"`{address}` is not an IP address.")
    flags_set, flags_clear = _read_flags(options.flags)
    return PacketFilter(
        from_ns=from_ns,
        to_ns=to_ns,
        flags_set=flags_set,
        flags_clear=flags_clear,
        address=None if address is None else address_halves(address),
        port=options.port,
        cid=options.cid,
        text=text,
        expression=_expression(options, tables),
    )


def _expression(options: PacketOptions, tables: Tables) -> Expression | None:
    parts: list[Expression] = [] if options.listed is None else [InTable(options.listed)]
    read = [
        read_filter(text or "", Meaning(tables))
        for text in (options.filter, *options.within, *tables.scope.within)
    ]
    asked = [*parts, *(found for found in read if found is not None)]
    return AllOf(tuple(asked)) if asked else None


def _is_address(text: str) -> bool:
    try:
        address_halves(text)
    except ValueError:
        return False
    return True


def _read_flags(text: str | None) -> tuple[int, int]:
    wanted, unwanted = 0, 0
    for part in (text or "").upper().split(","):
        name = part.strip()
        if not name:
            continue
        bit = FLAG_BITS.get(name.removeprefix("!"))
        if bit is None:
            raise InvalidRequest(f"`{part}` is no TCP flag; there are {', '.join(FLAG_BITS)}, and ! negates.")
        if name.startswith("!"):
            unwanted |= bit
        else:
            wanted |= bit
    if wanted & unwanted:
        raise InvalidRequest("A flag cannot be set and not set.")
    return wanted, unwanted


def wanted_captures(tables: Tables, lane: str | None) -> list[tuple[int, CaptureTables, int | None]]:
    """(number, capture, its vantage point or None for all) of those that are asked for."""
    listed = list(enumerate(tables.captures))
    if lane is None:
        return [(number, capture, None) for number, capture in listed]
    by_input = [(number, capture, None) for number, capture in listed if capture.input == lane]
    if by_input:
        return list(by_input)
    own = next(([lane, *each.parts] for each in tables.report.lanes if each.id == lane), [lane])
    points = {(name, vantage) for name, _, vantage in (each.rpartition("#") for each in own)}
    return [
        (number, capture, int(vantage))
        for number, capture in listed
        for name, vantage in sorted(points)
        if capture.input == name and vantage.isdecimal()
    ]


def at_vantage(wanted: PacketFilter, vantage: int | None) -> PacketFilter:
    """The same, of one vantage point; None for all."""
    return replace(wanted, vantage=vantage)


def packet_lines(tables: Tables, page: list[Found]) -> tuple[PacketLine, ...]:
    """The packets at these places, in their order."""
    lines: dict[Found, PacketLine] = {}
    about = about_findings(tables)
    for number in sorted({place[1] for place in page}):
        capture = tables.captures[number]
        rows = sorted(place[2] for place in page if place[1] == number)
        packets = capture_tables.packets_in_rows(tables.query, capture, rows)
        connections = sorted({packet["connection"] for packet in packets})
        cids = dict(path_tables.cids_of_sightings(tables.query, tables.sightings, capture.input, connections))
        joined = join_packets(tables, capture, packets, cids)
        said = messages_in_frames(tables.query, capture, [packet["frame"] for packet in packets])
        for row, packet in zip(rows, packets, strict=True):
            line = _line(packet, capture.input, tables, cids)
            lines[packet["time_ns"], number, row] = replace(
                line,
                info=_info(packet, line.what, said.get(packet["frame"], [])),
                joined=tuple(
                    each for each in joined.get(packet["frame"], ()) if tables.scope.shows_lane(each.lane)
                ),
                findings=about.get((capture.input, packet["frame"]), ()),
            )
    return tuple(lines[place] for place in page)


def about_findings(tables: Tables) -> dict[tuple[str, int], tuple[str, ...]]:
    """By (input, frame): the findings that it is evidence of."""
    found: dict[tuple[str, int], tuple[str, ...]] = {}
    for finding in tables.report.findings:
        for part in finding.evidence:
            for frame in part.frames:
                known = found.get((part.input, frame), ())
                if finding.id not in known:
                    found[part.input, frame] = (*known, finding.id)
    return found


def _info(packet: Packet, what: str, messages: list[tuple[str, dict[str, Any]]]) -> str:
    marks = [mark for mark in marks_of_packet(packet) if mark not in what]
    said = [describe_message(kind, message, packet["frame"]) for kind, message in messages]
    return " · ".join([what, *said, *marks])


def _line(packet: Packet, input_name: str, tables: Tables, cids: dict[int, int]) -> PacketLine:
    protocol = packet["protocol"]
    return PacketLine(
        time_ns=packet["time_ns"],
        t=packet["time_ns"] - tables.t0_ns,
        lane=tables.lane_of(input_name, packet["vantage"]),
        input=input_name,
        frame=packet["frame"],
        what=what_is(packet),
        protocol=PROTOCOL_NAMES.get(protocol, f"IP protocol {protocol}"),
        source=source_of(packet),
        destination=destination_of(packet),
        flags=flags_of(packet),
        sequence=packet["sequence"],
        acknowledgement=packet["acknowledgement"],
        payload_bytes=packet["payload_bytes"],
        original_bytes=packet["original_bytes"],
        cid=cids.get(packet["connection"]),
    )
