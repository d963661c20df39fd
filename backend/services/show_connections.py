"""The connection table, and one connection with its packets over all vantage points."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from backend.errors import InvalidRequest, NotFound
from backend.forensics.addresses import address_halves
from backend.forensics.packets import ACK, SYN
from backend.forensics.report import LanePart
from backend.services.cluster_marks import TimelineMark, marks_of
from backend.services.describe_packet import (
    Packet,
    destination_of,
    flags_of,
    marks_of_packet,
    source_of,
    tunnel_of,
    what_is,
)
from backend.services.open_tables import NS_PER_S, Tables, open_tables
from backend.services.result_types import EpochNs
from backend.services.scope import NOT_SHARED, WHOLE, Scope
from backend.services.table_rows import of_row
from backend.storage import capture_tables, path_tables
from backend.storage.path_tables import PathFilter, Sort
from backend.storage.store import Store
from backend.text_classes import (
    AddressText,
    FileText,
    FixedText,
    IdText,
    OpaqueAddressText,
    ProseText,
    VantageText,
)

PACKETS_EACH = 2000
FRAMES_IN_FILTER = 200

PathRow = dict[str, Any]
Outcome = Literal["established", "refused", "unreachable", "unanswered", "partial"]


@dataclass(frozen=True)
class Sighting:
    """A connection at one vantage point; `connection` is its number in that input's tables."""

    vantage: VantageText
    input: FileText
    connection: int


@dataclass(frozen=True)
class Connection:
    """One connection over all vantage points."""

    cid: int
    protocol: FixedText
    client: AddressText
    client_port: int
    server: AddressText
    server_port: int
    start_ns: EpochNs
    end_ns: EpochNs
    connect_ms: float | None
    tries: int
    retry_gaps_s: tuple[float, ...]
    outcome: Outcome
    nat_client: AddressText | None
    nat_client_port: int | None
    nat_server: AddressText | None
    nat_server_port: int | None
    client_bytes: int
    server_bytes: int
    packets: int
    application_ratio: float | None
    """Share of the connection's time limited by the sender's application. The four shares add up to 1; they are null
    without data, or where the handshake was not captured."""
    receiver_window_ratio: float | None
    """By the receiver window."""
    network_ratio: float | None
    """By the network: round trips, congestion window, losses (and a send buffer that is too small)."""
    handshake_ratio: float | None
    """From the first SYN to the client's ACK."""
    seen_at: tuple[VantageText, ...]
    missing_at: tuple[VantageText, ...]
    sightings: tuple[Sighting, ...]
    finding_ids: tuple[FixedText, ...]
    instance: int | None
    joined_because: ProseText


@dataclass(frozen=True)
class ConnectionList:
    """A page of connections."""

    items: tuple[Connection, ...]
    total: int
    next_cursor: IdText | None
    outcomes: tuple[Outcome, ...] = get_args(Outcome)
    """All outcomes there are, to filter by."""


@dataclass(frozen=True)
class Filters:
    """Wireshark display filters: these frames of the first file, and the connection in any file."""

    frame_filter: ProseText
    portable_filter: OpaqueAddressText


@dataclass(frozen=True)
class ConnectionPacket:
    """A packet of a connection at one vantage point; times are on the clock that all captures share."""

    time_ns: EpochNs
    t_rel_ns: int
    lane: VantageText
    input: FileText
    frame: int
    from_client: bool
    what: ProseText
    source: AddressText
    destination: AddressText
    flags: ProseText
    sequence: int
    acknowledgement: int
    payload_bytes: int
    timestamp_value: int | None
    ip_id: int
    tunnel: ProseText
    """What it was wrapped in, in words; empty for nothing."""
    marks: tuple[ProseText, ...]
    """What the TCP analysis of this vantage point says of it, in words: ``fast retransmission``."""


@dataclass(frozen=True)
class ConnectionDetail:
    """One connection with its packets at all vantage points."""

    connection: Connection
    lanes: tuple[LanePart, ...]
    packets: tuple[ConnectionPacket, ...]
    marks: tuple[TimelineMark, ...]
    usual_connect_ms: float | None
    previous_cid: int | None
    next_cid: int | None
    success_cid: int | None
    """For comparison: the connection to the same destination that connected at its first attempt, is in no finding and
    began nearest in time. Null for a connection like that."""
    filters: Filters


def list_connections(
    store: Store,
    investigation_id: str,
    wanted: PathFilter,
    *,
    sort: Sort,
    descending: bool,
    limit: int,
    cursor: str | None,
    offset: int | None = None,
    scope: Scope = WHOLE,
) -> ConnectionList:
    """A page of the table; times of the filter are ns after t0."""
    if cursor is not None and not cursor.isdigit():
        raise InvalidRequest("The cursor is not one that a page gave.")
    offset = int(cursor or 0) if offset is None else offset
    with open_tables(store, investigation_id, scope) as tables:
        from_ns, to_ns = tables.absolute(wanted.from_ns, wanted.to_ns)
        finding = wanted.finding if scope.view else scope.finding_id or wanted.finding
        absolute = replace(wanted, finding=finding, from_ns=from_ns, to_ns=to_ns)
        items, total = path_tables.list_paths(
            tables.query, tables.paths, absolute, sort=sort, descending=descending, page=(offset, limit)
        )
    following = offset + len(items)
    page = tuple(_connection(row, scope) for row in items)
    return ConnectionList(page, total, str(following) if following < total else None)


def _connection(row: PathRow, scope: Scope) -> Connection:
    found = of_row(Connection, row)
    shown = scope.shown_findings(found.finding_ids)
    return replace(found, finding_ids=shown, instance=found.instance if shown else None)


def show_connection(store: Store, investigation_id: str, cid: int, scope: Scope = WHOLE) -> ConnectionDetail:
    """One connection; raises NotFound."""
    with open_tables(store, investigation_id, scope) as tables:
        row = path_tables.path_row(tables.query, tables.paths, cid)
        if row is None:
            raise NotFound("There is no such connection.")
        _check_shown(tables, row)
        detail = _detail(tables, row)
    if scope.view is None:
        return detail
    # Other connections may lie outside of a view, and the filter would list frames that do.
    filters = replace(detail.filters, frame_filter="")
    return replace(detail, previous_cid=None, next_cid=None, success_cid=None, filters=filters)


def _check_shown(tables: Tables, row: PathRow) -> None:
    scope = tables.scope
    scope.check_span(row["start_ns"], row["end_ns"], tables.t0_ns)
    if scope.view is None and scope.finding_id not in (None, *row["finding_ids"]):
        raise NotFound(NOT_SHARED)


def _detail(tables: Tables, row: PathRow) -> ConnectionDetail:
    packets = _packets(tables, row)
    earlier, later = _neighbours(tables, row)
    return ConnectionDetail(
        connection=_connection(row, tables.scope),
        lanes=_lanes(tables, row),
        packets=packets,
        marks=_marks(tables, row),
        usual_connect_ms=path_tables.usual_connect_ms(
            tables.query, tables.paths, row["server"], row["server_port"]
        ),
        previous_cid=earlier,
        next_cid=later,
        success_cid=_success(tables, row),
        filters=Filters(_frame_filter(packets), _portable_filter(row)),
    )


def _packets(tables: Tables, row: PathRow) -> tuple[ConnectionPacket, ...]:
    found: list[ConnectionPacket] = []
    for sighting in row["sightings"]:
        capture = tables.capture(sighting["input"])
        if capture is None:
            continue
        tunnels: dict[int, str] = {}
        client, packets = capture_tables.packets_of_connection(
            tables.query, capture, sighting["connection"], PACKETS_EACH
        )
        for packet in packets:
            sent_by = (packet["source_high"], packet["source_low"], packet["source_port"])
            path = packet["tunnel"]
            if path not in tunnels:
                tunnels[path] = tunnel_of(capture_tables.tunnel_layers(tables.query, capture, path))
            shown = _connection_packet(packet, sighting, row, tables, sent_by == client)
            found.append(replace(shown, tunnel=tunnels[path]))
    view = tables.scope.view
    in_view = (each for each in found if view is None or view.from_ns <= each.t_rel_ns < view.to_ns)
    return tuple(sorted(in_view, key=lambda packet: (packet.time_ns, packet.input, packet.frame)))


def _connection_packet(
    packet: Packet, sighting: dict[str, Any], row: PathRow, tables: Tables, from_client: bool
) -> ConnectionPacket:
    return ConnectionPacket(
        time_ns=packet["time_ns"],
        t_rel_ns=packet["time_ns"] - tables.t0_ns,
        lane=tables.lane_of(sighting["input"], packet["vantage"]),
        input=sighting["input"],
        frame=packet["frame"],
        from_client=from_client,
        what=what_is(packet, sent_again=_is_retry(packet, row)),
        source=source_of(packet),
        destination=destination_of(packet),
        flags=flags_of(packet),
        sequence=packet["sequence"],
        acknowledgement=packet["acknowledgement"],
        payload_bytes=packet["payload_bytes"],
        timestamp_value=packet["timestamp_value"] or None,
        ip_id=packet["ip_id"],
        tunnel="",
        marks=marks_of_packet(packet),
    )


def _is_retry(packet: Packet, row: PathRow) -> bool:
    """Where the first SYN was lost, a later vantage point sees the retry alone and cannot know it."""
    if packet["tcp_flags"] & (SYN | ACK) != SYN or not row["retry_gaps_s"]:
        return False
    half_way_ns = int(row["retry_gaps_s"][0] * NS_PER_S / 2)
    return bool(packet["time_ns"] > row["start_ns"] + half_way_ns)


def _lanes(tables: Tables, row: PathRow) -> tuple[LanePart, ...]:
    """The places it was seen at or should have been, and the translation between them."""
    concerned = {*row["seen_at"], *row["missing_at"]}
    translated = row["nat_client"] is not None or row["nat_server"] is not None
    return tuple(
        lane for lane in tables.report.lanes if lane.id in concerned or (lane.role == "nat" and translated)
    )


def _marks(tables: Tables, row: PathRow) -> tuple[TimelineMark, ...]:
    if row["instance"] is None:
        return ()
    return tuple(
        mark
        for mark in marks_of(tables)
        if mark.finding in row["finding_ids"] and mark.instance == row["instance"]
    )


def _success(tables: Tables, row: PathRow) -> int | None:
    failed = row["finding_ids"] or row["tries"] > 1 or row["outcome"] != "established"
    return path_tables.nearest_success(tables.query, tables.paths, row) if failed else None


def _neighbours(tables: Tables, row: PathRow) -> tuple[int | None, int | None]:
    if not row["finding_ids"]:
        return None, None
    cids = path_tables.cids_of_finding(tables.query, tables.paths, row["finding_ids"][0])
    place = cids.index(row["cid"])
    return (cids[place - 1] if place else None), (cids[place + 1] if place + 1 < len(cids) else None)


def _frame_filter(packets: tuple[ConnectionPacket, ...]) -> str:
    """Exact frames; frame numbers mean something in one file only, so it is for the first one."""
    if not packets:
        return ""
    frames = sorted(packet.frame for packet in packets if packet.input == packets[0].input)
    return f"frame.number in {{{', '.join(map(str, frames[:FRAMES_IN_FILTER]))}}}"


def _portable_filter(row: PathRow) -> str:
    """The same connection in any capture, before and after translation."""
    plain = _tuple_filter(
        row["protocol"], (row["client"], row["client_port"]), (row["server"], row["server_port"])
    )
    if row["nat_client"] is None and row["nat_server"] is None:
        return plain
    client = (row["nat_client"] or row["client"], row["nat_client_port"] or row["client_port"])
    server = (row["nat_server"] or row["server"], row["nat_server_port"] or row["server_port"])
    translated = _tuple_filter(row["protocol"], client, server)
    return plain if translated == plain else f"({plain}) || ({translated})"


def _tuple_filter(protocol: str, client: tuple[str, int], server: tuple[str, int]) -> str:
    parts = []
    for address, port in (client, server):
        field = "ip.addr" if address_halves(address)[0] == 0 and ":" not in address else "ipv6.addr"
        parts.append(f"{field} == {address} && {protocol}.port == {port}")
    return " && ".join(parts)
