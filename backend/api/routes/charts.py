"""Timeline, connections, packets and frames: read by one's own page and, the same, behind a share link."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query

from backend.api.dependencies import FileId, ScopeDep, StoreDep, Subject
from backend.errors import InvalidRequest
from backend.services.jump_in_packets import (
    PacketPlace,
    PacketRail,
    packets_from,
    place_of_frame,
    place_of_time,
    rail_of_packets,
)
from backend.services.list_packets import PacketList, PacketOptions, list_packets
from backend.services.redaction.declared import Asked, shareable
from backend.services.show_connections import (
    ConnectionDetail,
    ConnectionList,
    Outcome,
    list_connections,
    show_connection,
)
from backend.services.show_frame import Frame, show_frame
from backend.services.show_timeline import Timeline, Window, show_timeline
from backend.services.suggest_filter import FilterSuggestions, suggest_filter
from backend.services.timeline_gaps import read_folds
from backend.services.timeline_lanes import LANES_MOST
from backend.storage.group_tables import Grouping
from backend.storage.path_tables import PathFilter, Sort

router = APIRouter(tags=["results"])

FromNs = Annotated[int | None, Query(alias="from", description="ns after t0")]
ToNs = Annotated[int | None, Query(alias="to", description="ns after t0")]
FilterText = Annotated[
    str | None,
    Asked.FILTER,
    Query(alias="filter", max_length=4000, description="The supported part of Wireshark's filter language"),
]
MAX_ID = 2**53
Cursor = Annotated[str | None, Asked.PLAIN]
Offset = Annotated[int | None, Query(ge=0, le=MAX_ID, description="Offset in the list, instead of a cursor")]


@router.get("/timeline")
@shareable(finding=True, view="open")
def get_timeline(
    subject: Subject,
    store: StoreDep,
    scope: ScopeDep,
    from_ns: FromNs = None,
    to_ns: ToNs = None,
    px: Annotated[int, Query(ge=1, le=10_000, description="Width to fill")] = 1200,
    finding: Annotated[str | None, Asked.PLAIN] = None,
    group: Annotated[
        Grouping | None, Query(description="Lanes by connection instead of vantage point")
    ] = None,
    lanes: Annotated[int, Query(ge=1, le=LANES_MOST, description="Groups wanted")] = LANES_MOST,
    gaps: Annotated[
        int | None,
        Query(ge=0, le=MAX_ID, description="Lists intervals without marks longer than this, in ns"),
    ] = None,
    fold: Annotated[
        str,
        Asked.PLAIN,
        Query(max_length=2000, description="`from~to,from~to`: intervals whose traffic is left out"),
    ] = "",
) -> Timeline:
    """Density, or single packets where there are few, and the marks of the findings."""
    window = Window(from_ns, to_ns, px, finding, group, lanes, gaps, read_folds(fold))
    return show_timeline(store, subject, window, scope)


@router.get("/connections")
@shareable(finding=True, view="unfiltered")
def get_connections(
    subject: Subject,
    store: StoreDep,
    scope: ScopeDep,
    sort: Annotated[Sort, Asked.ORDER] = "start",
    order: Literal["asc", "desc"] = "asc",
    outcome: Outcome | None = None,
    finding: Annotated[str | None, Asked.PLAIN] = None,
    q: Annotated[
        str | None,
        Asked.ENDPOINT_SEARCH,
        Query(max_length=200, description="Part of an address, a port, ip:port"),
    ] = None,
    from_ns: FromNs = None,
    to_ns: ToNs = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    cursor: Cursor = None,
    offset: Offset = None,
) -> ConnectionList:
    """Connections, joined over vantage points and NAT."""
    return list_connections(
        store,
        subject,
        PathFilter(outcome, finding, q or None, from_ns, to_ns),
        sort=sort,
        descending=order == "desc",
        limit=limit,
        cursor=cursor,
        offset=offset,
        scope=scope,
    )


@router.get("/connections/{cid}")
@shareable(finding=True, view="unfiltered")
def get_connection(
    subject: Subject, cid: Annotated[int, Path(ge=0)], store: StoreDep, scope: ScopeDep
) -> ConnectionDetail:
    """One connection with its packets at all vantage points."""
    return show_connection(store, subject, cid, scope)


@router.get("/packets")
@shareable(view="open")
def get_packets(
    subject: Subject,
    store: StoreDep,
    scope: ScopeDep,
    q: Annotated[
        str | None,
        Asked.ENDPOINT_SEARCH,
        Query(max_length=200, description="Part of an endpoint's address, port, ip:port"),
    ] = None,
    address: Annotated[
        str | None, Asked.NAME, Query(max_length=64, description="Address of either end")
    ] = None,
    port: Annotated[int | None, Query(ge=0, le=65535, description="Port of either end")] = None,
    flags: Annotated[
        str | None, Asked.PLAIN, Query(max_length=80, description="`SYN,!ACK`: set, and with ! not set")
    ] = None,
    cid: Annotated[int | None, Query(ge=0, le=MAX_ID, description="A connection")] = None,
    lane: Annotated[
        str | None, Asked.NAME, Query(max_length=300, description="A vantage point, or an input")
    ] = None,
    filter_text: FilterText = None,
    from_ns: FromNs = None,
    to_ns: ToNs = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    cursor: Annotated[str | None, Asked.PLAIN, Query(max_length=64)] = None,
    offset: Annotated[
        int | None, Query(ge=0, le=MAX_ID, description="Offset in the list, instead of a cursor")
    ] = None,
) -> PacketList:
    """Packets of all captures in order of time. `q` matches the endpoints of the packet's connection."""
    options = PacketOptions(from_ns, to_ns, lane, address or None, port, flags, cid, q or None, filter_text)
    if offset is not None:
        return packets_from(store, subject, options, offset=offset, limit=limit, scope=scope)
    return list_packets(store, subject, options, limit=limit, cursor=cursor, scope=scope)


@router.get("/packets/suggestions")
def get_filter_suggestions(
    subject: Subject,
    store: StoreDep,
    text: Annotated[str, Query(max_length=4000, description="The filter up to the cursor")] = "",
) -> FilterSuggestions:
    """Fields, or values of a field, that complete a packet filter."""
    return suggest_filter(store, subject, text)


@router.get("/packets/rail")
@shareable(view="open")
def get_packet_rail(
    subject: Subject,
    store: StoreDep,
    scope: ScopeDep,
    filter_text: FilterText = None,
    from_ns: FromNs = None,
    to_ns: ToNs = None,
) -> PacketRail:
    """Round times and marks of findings by their offset in the list."""
    options = PacketOptions(from_ns, to_ns, filter=filter_text)
    return rail_of_packets(store, subject, options, scope)


@router.get("/packets/place")
@shareable(view="open")
def get_packet_place(
    subject: Subject,
    store: StoreDep,
    scope: ScopeDep,
    input_name: Annotated[str | None, Asked.NAME, Query(alias="input", max_length=300)] = None,
    frame: Annotated[int, Query(ge=1, le=MAX_ID)] = 1,
    t: Annotated[
        int | None, Query(ge=-MAX_ID, le=MAX_ID, description="ns after t0, instead of a frame")
    ] = None,
    filter_text: FilterText = None,
    from_ns: FromNs = None,
    to_ns: ToNs = None,
) -> PacketPlace:
    """The offset of a frame or a time in the filtered packet list; if it is not listed, that of the next packet."""
    options = PacketOptions(from_ns, to_ns, filter=filter_text)
    if t is not None:
        return PacketPlace(offset=place_of_time(store, subject, options, t, scope))
    if input_name is None:
        raise InvalidRequest("A frame is of an input, and a time is given as t.")
    return PacketPlace(offset=place_of_frame(store, subject, options, (input_name, frame), scope))


@router.get("/frames/{file_id:path}/{number}")
@shareable(finding=True, view="open")
def get_frame(
    subject: Subject, file_id: FileId, number: Annotated[int, Path(ge=1)], store: StoreDep, scope: ScopeDep
) -> Frame:
    """One decoded frame."""
    return show_frame(store, subject, file_id, number, scope)
