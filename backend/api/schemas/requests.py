"""HTTP requests as the API shows them; absolute times are decimal texts of epoch ns."""

from __future__ import annotations

from typing import Any

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
from backend.services.list_requests import RequestPage


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
    end_ns: str | None
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
            "end_ns": None if row["end_ns"] is None else str(row["end_ns"]),
        }
        return cls.model_validate(
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
            }
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
