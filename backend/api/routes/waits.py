"""Requests and round trips: read by one's own page and, the same, behind a share link."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query

from backend.api.dependencies import ScopeDep, StoreDep, Subject
from backend.api.routes.charts import MAX_ID, Cursor, FromNs, Offset, ToNs
from backend.services.chart_round_trips import ChartOptions, RoundTripChart, chart_round_trips
from backend.services.list_requests import HttpRequestList, list_requests
from backend.services.list_round_trips import (
    HeldGroupList,
    HeldShare,
    RoundTripList,
    list_held_groups,
    list_round_trips,
    show_held_group,
)
from backend.services.redaction.declared import Asked, shareable
from backend.services.show_request import RequestDetail, RequestGroups, group_requests, show_request
from backend.storage.request_tables import RequestFilter, RequestSort
from backend.storage.round_trip_tables import RoundTripFilter, RoundTripSort

router = APIRouter(tags=["results"])

RequestText = Annotated[
    str | None,
    Asked.PAYLOAD_SEARCH,
    Query(max_length=200, description="Part of an endpoint, method, host, path, user agent or request id"),
]


@router.get("/requests")
@shareable(view="unfiltered")
def get_requests(
    subject: Subject,
    store: StoreDep,
    scope: ScopeDep,
    sort: Annotated[RequestSort, Asked.ORDER] = "start",
    order: Literal["asc", "desc"] = "asc",
    q: RequestText = None,
    method: Annotated[str | None, Asked.METHOD, Query(max_length=24)] = None,
    status: Annotated[int | None, Query(ge=0, le=599, description="0: without a response")] = None,
    cid: Annotated[int | None, Query(ge=0, description="Of this connection only")] = None,
    shape: Annotated[int | None, Query(ge=0, le=MAX_ID, description="Of this endpoint only")] = None,
    line: Annotated[
        str | None,
        Asked.REQUEST_LINE,
        Query(max_length=2000, description="Without a shape, of this line only"),
    ] = None,
    responder: Annotated[
        str | None, Asked.NAME, Query(max_length=64, description="Address that answered")
    ] = None,
    basis: Literal["seen", "inferred"] | None = None,
    from_ns: FromNs = None,
    to_ns: ToNs = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    cursor: Cursor = None,
    offset: Offset = None,
) -> HttpRequestList:
    """HTTP/1 requests with their responses, each once, however many vantage points captured it; then requests
    inferred from packet sizes and times where the payload could not be read."""
    return list_requests(
        store,
        subject,
        RequestFilter(
            text=q or None, method=method or None, status=status, cid=cid, shape=shape, line=line,
            responder=responder or None, basis=basis, from_ns=from_ns, to_ns=to_ns,
        ),
        sort=sort,
        descending=order == "desc",
        limit=limit,
        cursor=cursor,
        offset=offset,
        scope=scope,
    )  # fmt: skip


@router.get("/requests/shapes")
@shareable(view="unfiltered")
def get_request_shapes(
    subject: Subject,
    store: StoreDep,
    scope: ScopeDep,
    q: RequestText = None,
    from_ns: FromNs = None,
    to_ns: ToNs = None,
) -> RequestGroups:
    """Requests of one endpoint as one row: the request, the upstream calls of the server, and how long they took."""
    return group_requests(store, subject, RequestFilter(text=q or None, from_ns=from_ns, to_ns=to_ns), scope)


@router.get("/requests/{rid}")
@shareable(view="unfiltered")
def get_request(
    subject: Subject, rid: Annotated[int, Path(ge=0, le=MAX_ID)], store: StoreDep, scope: ScopeDep
) -> RequestDetail:
    """One request and its latency breakdown."""
    return show_request(store, subject, rid, scope)


@router.get("/rtt")
@shareable(view="unfiltered")
def get_round_trips(
    subject: Subject,
    store: StoreDep,
    scope: ScopeDep,
    sort: Annotated[RoundTripSort, Asked.ORDER] = "sent",
    order: Literal["asc", "desc"] = "asc",
    kind: Annotated[
        str | None,
        Asked.PLAIN,
        Query(max_length=24, description="SYN, ICMP echo, data, request, DNS, printed"),
    ] = None,
    prober: Annotated[
        str | None, Asked.NAME, Query(max_length=64, description="Address of the requester")
    ] = None,
    responder: Annotated[
        str | None, Asked.NAME, Query(max_length=64, description="Address of the responder")
    ] = None,
    finding: Annotated[
        str | None, Asked.PLAIN, Query(max_length=64, description="Held by a stall of this finding")
    ] = None,
    instance: Annotated[int | None, Query(ge=1, le=MAX_ID, description="Which of its stalls")] = None,
    from_ns: FromNs = None,
    to_ns: ToNs = None,
    limit: Annotated[int, Query(ge=1, le=5000)] = 250,
    cursor: Cursor = None,
    offset: Offset = None,
) -> RoundTripList:
    """Round-trip samples, each once however many vantage points saw it; a window holds those sent in it."""
    return list_round_trips(
        store,
        subject,
        RoundTripFilter(
            kind or None, prober or None, responder or None, finding or None, instance, from_ns, to_ns
        ),
        sort=sort,
        descending=order == "desc",
        limit=limit,
        cursor=cursor,
        offset=offset,
        scope=scope,
    )


@router.get("/rtt/chart")
@shareable(view="unfiltered")
def get_round_trip_chart(
    subject: Subject,
    store: StoreDep,
    scope: ScopeDep,
    from_ns: FromNs = None,
    to_ns: ToNs = None,
    px: Annotated[int, Query(ge=1, le=10_000, description="Width to fill")] = 1200,
    kind: Annotated[
        list[str] | None, Asked.PLAIN, Query(max_length=8, description="Only these kinds")
    ] = None,
    series: Annotated[
        list[str] | None, Asked.PLAIN, Query(max_length=12, description="Ids of the series to draw")
    ] = None,
) -> RoundTripChart:
    """Pairs of hosts by vantage point; for some of them every sample in the window or, where there are too
    many, their distribution in time buckets. Held samples are always listed one by one."""
    options = ChartOptions(from_ns, to_ns, px, tuple(kind or ()), tuple(series or ()))
    return chart_round_trips(store, subject, options, scope)


@router.get("/rtt/groups")
@shareable()
def get_held_groups(subject: Subject, store: StoreDep) -> HeldGroupList:
    """Every stall that held round trips, by time."""
    return list_held_groups(store, subject)


@router.get("/rtt/groups/{finding}/{instance}")
@shareable()
def get_held_group(
    subject: Subject,
    finding: Annotated[str, Path(max_length=64)],
    instance: Annotated[int, Path(ge=1, le=MAX_ID)],
    store: StoreDep,
    scope: ScopeDep,
) -> HeldShare:
    """What one stall held and what it did not, among all packets sent during it."""
    return show_held_group(store, subject, finding, instance)
