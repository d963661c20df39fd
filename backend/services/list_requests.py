"""The HTTP requests of an investigation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from backend.errors import InvalidRequest
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
from backend.services.open_tables import open_tables
from backend.services.result_types import EpochNs
from backend.services.scope import WHOLE, Scope
from backend.services.table_rows import of_row
from backend.storage import request_tables
from backend.storage.request_tables import RequestFilter, RequestSort
from backend.storage.store import Store
from backend.text_classes import AddressText, FileText, IdText, OpaquePayloadText, PayloadText, VantageText


@dataclass(frozen=True, kw_only=True)
class HttpRequest:
    """One request with its response. Texts are empty where a header is absent; values of a query are not kept."""

    rid: int
    cid: int
    input: FileText
    """Frames are numbers of this input."""
    vantage: VantageText
    requester: AddressText
    requester_port: int
    responder: AddressText
    responder_port: int
    start_ns: EpochNs
    """On the clock of its capture."""
    at_ns: EpochNs
    """On the clock that all times of the report are on."""
    end_ns: EpochNs | None
    asking_ms: float | None = None
    """From the first byte of the request to its last."""
    wait_ms: float | None
    """From the last byte of the request to the first of the response."""
    duration_ms: float | None
    """From the first byte of the request to the last of the response."""
    method: PayloadText
    host: PayloadText
    path: PayloadText
    status: int | None
    request_first_frame: int | None
    request_last_frame: int | None
    response_first_frame: int | None
    response_last_frame: int | None
    request_bytes: int
    response_bytes: int
    user_agent: PayloadText
    request_id: PayloadText
    traceparent: OpaquePayloadText
    server: PayloadText
    location: OpaquePayloadText
    line: PayloadText = ""
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
    """Bytes were missing, and what the response acknowledges identified its request."""
    given_up: bool
    """It waited for its response longer than the decoder could keep it."""
    sent_token: bool
    """Whether it carries a metadata token."""
    sent_authorization: bool
    """Whether it carries an Authorization header."""


@dataclass(frozen=True)
class HttpRequestList:
    """A page of requests."""

    items: tuple[HttpRequest, ...]
    total: int
    next_cursor: IdText | None


def request_of(row: Mapping[str, Any]) -> HttpRequest:
    """The request of a row of the table; raises Outdated where an older version wrote it."""
    marks, whole = row["marks"], REQUEST_COMPLETE | RESPONSE_COMPLETE
    read = {
        "status": row["status"] or None,
        "complete": marks & whole == whole,
        "cut": bool(marks & (REQUEST_CUT | RESPONSE_CUT)),
        "paired_by_acknowledgement": bool(marks & PAIRED_BY_ACK),
        "given_up": bool(marks & FORGOTTEN),
        "sent_token": bool(marks & SENT_TOKEN),
        "sent_authorization": bool(marks & SENT_AUTHORIZATION),
    }
    return of_row(HttpRequest, {**row, **read})


def list_requests(
    store: Store,
    investigation_id: str,
    wanted: RequestFilter,
    *,
    sort: RequestSort,
    descending: bool,
    limit: int,
    cursor: str | None,
    offset: int | None = None,
    scope: Scope = WHOLE,
) -> HttpRequestList:
    """A page of the table; times of the filter are ns after t0. Raises NotFound before there is an analysis, Outdated
    where an older version made it."""
    if cursor is not None and not cursor.isdigit():
        raise InvalidRequest("The cursor is not one that a page gave.")
    offset = int(cursor or 0) if offset is None else offset
    with open_tables(store, investigation_id, scope) as tables:
        from_ns, to_ns = tables.absolute(wanted.from_ns, wanted.to_ns)
        absolute = replace(wanted, from_ns=from_ns, to_ns=to_ns)
        total = request_tables.count_requests(tables.query, tables.requests, absolute)
        items = request_tables.list_requests(
            tables.query, tables.requests, absolute, sort=sort, descending=descending, page=(offset, limit)
        )
    following = offset + len(items)
    page = tuple(request_of(row) for row in items)
    return HttpRequestList(page, total, str(following) if following < total else None)
