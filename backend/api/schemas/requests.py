"""HTTP requests as the API shows them; absolute times are decimal texts of epoch ns."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel

from backend.forensics.messages import (
    FORGOTTEN,
    PAIRED_BY_ACK,
    REQUEST_COMPLETE,
    REQUEST_CUT,
    RESPONSE_COMPLETE,
    RESPONSE_CUT,
    SENT_AUTHORIZATION,
    SENT_TOKEN,
)
from backend.forensics.report import CalleePart
from backend.services.list_requests import RequestPage
from backend.services.show_request import Dissection, Groups
from backend.services.table_rows import of_row


class HttpRequest(BaseModel):
    """One request with its response. Texts are empty where a header is absent; values of a query are not kept."""

    rid: int
    cid: int
    input: str
    """Frames are numbers of this input."""
    vantage: str
    requester: str
    requester_port: int
    responder: str
    responder_port: int
    start_ns: str
    """On the clock of its capture."""
    at_ns: str | None = None
    """On the clock that all times of the report are on."""
    end_ns: str | None
    asking_ms: float | None = None
    """From the first byte of the request to its last."""
    wait_ms: float | None
    """From the last byte of the request to the first of the response."""
    duration_ms: float | None
    """From the first byte of the request to the last of the response."""
    method: str
    host: str
    path: str
    status: int | None
    request_first_frame: int | None
    request_last_frame: int | None
    response_first_frame: int | None
    response_last_frame: int | None
    request_bytes: int
    response_bytes: int
    user_agent: str
    request_id: str
    traceparent: str
    server: str
    location: str
    line: str = ""
    """Method and path without what differs from call to call."""
    basis: Literal["seen", "inferred"] = "seen"
    """inferred: the payload could not be read; its bounds are those of the data."""
    shape: int | None = None
    """Which of the shapes, the costliest first; null where the responder's own questions would not have been seen."""
    served_ms: float | None = None
    """The whole at the responder's side."""
    metadata_ms: float | None = None
    """How long metadata calls of the responder were open within it. This and the following are null where the
    responder's own questions would not have been seen; with `own_ms` they add up to the whole at its side."""
    dns_ms: float | None = None
    calls_ms: float | None = None
    """Calls of the responder to others, what metadata and DNS take at the same time left out."""
    own_ms: float | None = None
    """The rest: the responder's own work."""
    metadata_count: int | None = None
    dns_count: int | None = None
    calls_count: int | None = None
    complete: bool
    """Whether all of request and response was seen."""
    cut: bool
    """Whether bytes of either are missing in the capture."""
    paired_by_acknowledgement: bool
    """Bytes were missing, and what the response acknowledges told its request."""
    given_up: bool
    """It waited for its response longer than the decoder could keep it."""
    sent_token: bool
    """Whether it carries a metadata token."""
    sent_authorization: bool
    """Whether it carries an Authorization header."""

    @classmethod
    def of(cls, row: dict[str, Any]) -> HttpRequest:
        """A row of the table; times become texts, for JavaScript's numbers end at 2^53."""
        marks, whole = row["marks"], REQUEST_COMPLETE | RESPONSE_COMPLETE
        times = {
            "start_ns": str(row["start_ns"]),
            "at_ns": str(row["at_ns"]),
            "end_ns": None if row["end_ns"] is None else str(row["end_ns"]),
        }
        return of_row(
            cls,
            {
                **row,
                **times,
                "status": row["status"] or None,
                "complete": marks & whole == whole,
                "cut": bool(marks & (REQUEST_CUT | RESPONSE_CUT)),
                "paired_by_acknowledgement": bool(marks & PAIRED_BY_ACK),
                "given_up": bool(marks & FORGOTTEN),
                "sent_token": bool(marks & SENT_TOKEN),
                "sent_authorization": bool(marks & SENT_AUTHORIZATION),
            },
        )


class HttpRequestList(BaseModel):
    """A page of requests."""

    items: list[HttpRequest]
    total: int
    next_cursor: str | None

    @classmethod
    def of(cls, page: RequestPage) -> HttpRequestList:
        """The service's answer in the API's words."""
        return cls(
            items=[HttpRequest.of(row) for row in page.items], total=page.total, next_cursor=page.next_cursor
        )


class Segment(BaseModel):
    """A stretch of a request. What is open at once is counted once: `counted_ms` add up, `length_ms` need not."""

    kind: Literal["metadata", "dns", "calls", "own", "request", "wait", "response"]
    name: str
    line: str
    """Method and path, empty where it was no HTTP that could be read."""
    basis: Literal["seen", "inferred"]
    after_ms: float
    length_ms: float
    counted_ms: float
    status: int | None
    input: str | None
    first_frame: int | None
    last_frame: int | None
    withheld: str
    """What of it was secret and is not kept, in words."""


class RequestDetail(BaseModel):
    """One request: its segments' `counted_ms` and `gap_ms` add up to `total_ms`."""

    request: HttpRequest
    segments: list[Segment]
    total_ms: float | None
    gap_ms: float
    """Between the vantage points of caller and server."""
    costliest: str
    """Kind of the segments that took most."""

    @classmethod
    def of(cls, found: Dissection) -> RequestDetail:
        """The service's answer in the API's words."""
        return cls(
            request=HttpRequest.of(found.request),
            segments=[Segment.model_validate(vars(segment)) for segment in found.segments],
            total_ms=found.total_ms,
            gap_ms=found.gap_ms,
            costliest=found.costliest,
        )


class RequestGroup(BaseModel):
    """Requests of one shape; `shape` is null where their server's own questions would not have been seen, and `line`
    and `responder` tell them from others."""

    shape: int | None
    request: str
    line: str
    responder: str
    basis: Literal["seen", "inferred"]
    callees: list[CalleePart]
    count: int
    sum_ms: float
    total_p50_ms: float
    total_p95_ms: float
    metadata_p50_ms: float | None
    dns_p50_ms: float | None
    calls_p50_ms: float | None
    own_p50_ms: float | None
    wait_p50_ms: float | None
    fastest: int
    """`rid` of an example, as are the next two."""
    median: int
    slowest: int


class RequestGroups(BaseModel):
    """Requests by shape, those that took most time in sum first."""

    items: list[RequestGroup]
    total: int
    """Groups; only the first are listed."""
    requests: int
    """Requests in the window."""
    statement: str | None
    """Which part cost most, over all served requests of the report."""
    served: int
    inferred: int

    @classmethod
    def of(cls, found: Groups) -> RequestGroups:
        """The service's answer in the API's words."""
        items = [
            RequestGroup.model_validate(
                {**group.row, "request": group.request, "callees": list(group.callees)}
            )
            for group in found.items
        ]
        served = found.served
        return cls(
            items=items,
            total=found.total,
            requests=found.requests,
            statement=served.statement if served else None,
            served=served.count if served else 0,
            inferred=served.inferred if served else 0,
        )
