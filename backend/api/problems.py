"""Errors as problem documents (RFC 9457); what is our own fault is logged and named by a number only."""

from __future__ import annotations

import secrets
import traceback
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from backend.api.departures import is_departure
from backend.disk_space import full_disk, is_disk_full
from backend.errors import SignInNeeded, StallscopeError
from backend.storage.store import Store

log = structlog.get_logger()
MEDIA_TYPE = "application/problem+json"
NOTHING_HERE = "There is nothing at this address."


class Problem(BaseModel):
    """What is wrong with the request (RFC 9457); it may have further members."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    instance: str | None = None


def problem(
    status: int,
    title: str,
    detail: str,
    headers: dict[str, str] | None = None,
    members: dict[str, Any] | None = None,
) -> Response:
    """An answer that says what went wrong; `members` are the document's own (RFC 9457 section 3.2)."""
    body = Problem(title=title, status=status, detail=detail).model_dump(exclude_none=True)
    return JSONResponse(
        {**body, **(members or {})}, status_code=status, media_type=MEDIA_TYPE, headers=headers
    )


def install_error_handlers(app: FastAPI) -> None:
    """Let every failure leave as a problem document."""
    app.add_exception_handler(StallscopeError, _expected)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(OSError, _of_the_system)
    app.add_exception_handler(Exception, _bug)


async def _expected(_request: Request, error: Exception) -> Response:
    assert isinstance(error, StallscopeError)
    return problem_of(error)


def document_of(error: StallscopeError) -> Problem:
    """What it says, where it is not an answer of its own."""
    return Problem(title=error.title, status=error.status, detail=error.sentence)


def problem_of(error: StallscopeError) -> Response:
    """The same as an answer."""
    headers = {}
    if error.retry_after_s is not None:
        headers["Retry-After"] = str(error.retry_after_s)
    if isinstance(error, SignInNeeded):
        headers["WWW-Authenticate"] = 'Bearer realm="Stallscope"'
    return problem(error.status, error.title, error.sentence, headers, error.members)


async def _invalid(_request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    if any(e["loc"][0] == "path" for e in error.errors()):
        # What cannot be an id names nothing, like an id that nothing has.
        return problem(404, "Not found", NOTHING_HERE)
    places = [f"{'.'.join(str(part) for part in e['loc'])}: {e['msg']}" for e in error.errors()]
    return problem(422, "The request is not understood", "; ".join(places))


async def _http(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    titles = {404: "Not found", 405: "Not allowed here"}
    detail = NOTHING_HERE if error.status_code == 404 else str(error.detail)
    headers = dict(error.headers) if error.headers else None
    return problem(error.status_code, titles.get(error.status_code, str(error.detail)), detail, headers)


async def _of_the_system(request: Request, error: Exception) -> Response:
    if not is_disk_full(error):
        raise error
    store: Store = request.app.state.store
    return problem_of(full_disk(store.room()))


async def _bug(request: Request, error: Exception) -> Response:
    if is_disk_full(error):
        return await _of_the_system(request, error)
    if is_departure(error):
        return problem(400, "The request was cut", "The connection ended before the request did.")
    number = secrets.token_hex(4)
    # As text of our own: a renderer that prints local variables would hold the server up for seconds, and write
    # what the evidence holds into the log.
    trace = "".join(traceback.format_exception(error))
    log.error("bug", error_id=number, path=request.url.path, exception=trace)
    return problem(
        500,
        "Our own error",
        f"Something in Stallscope went wrong (error {number}). The server's log has the details.",
    )
