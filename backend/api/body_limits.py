"""How much of a request's body is read, and how long it is waited for.

Bodies are read whole before a route sees them, within the limit of their route; a route that is not in the table has
the smallest common one. Uploads alone are read piece by piece, within the limits of uploads; every other body is JSON.
"""

from __future__ import annotations

import asyncio
import re
import time
from typing import Final

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backend.api.found_route import found_route
from backend.api.plain_texts import check_json, check_query
from backend.api.problems import problem_of
from backend.api.strict_json import check_strict
from backend.errors import InvalidRequest, StallscopeError, TooLarge, TooSlow, Unavailable

STREAMED: Final = -1
_KIB: Final = 1 << 10
_MIB: Final = 1 << 20
DEFAULT_BYTES: Final = _MIB
_OWN: Final = "/api/v1/investigations/{investigation_id}"

LIMITS: Final[dict[str, int]] = {
    f"PUT {_OWN}/files/{{name}}": STREAMED,
    f"PATCH {_OWN}/uploads/{{upload_id}}": STREAMED,
    # 32 Mi characters, most of which JSON writes as one byte, and line ends as two.
    f"POST {_OWN}/texts": 40 * _MIB,
    "POST /api/v1/recognitions": 40 * _MIB,
    f"POST {_OWN}/notes": 64 * _KIB,
}
"""Largest body of each route whose limit is not DEFAULT_BYTES; routes as `backend.access.rules` names them."""

HELD_AT_MOST_BYTES: Final = 160 * _MIB
"""Of all bodies that are held at the same time; a parsed one takes about three times as much."""
GRACE_S: Final = 30.0
SLOWEST_BYTES_S: Final = 1024
"""A body may take the grace, and a second for so many bytes."""
DRAINED_BYTES: Final = 9 * _MIB
"""So much of a body that is refused is read nevertheless, piece by piece: who is still sending would miss the answer.
A piece of a resumable upload has 8 MiB."""
DRAINED_S: Final = 10.0

SINGLE: Final = (
    "authorization",
    "content-length",
    "content-sha256",
    "content-type",
    "idempotency-key",
    "tus-resumable",
    "upload-length",
    "upload-metadata",
    "upload-offset",
)
"""Headers that mean nothing twice: two readers would believe different ones."""


def limit_of(route: str) -> int:
    """In bytes, or STREAMED; of a route as the router found it, never of an address."""
    return LIMITS.get(route, DEFAULT_BYTES)


class BodyLimits:
    """ASGI middleware behind the one that asks who calls."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._held_bytes = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = _Body(Headers(scope=scope), receive)
        answer = _Answer(body, send)
        try:
            _check_headers(body.headers)
            check_query(scope["query_string"])
            found = found_route(scope)
            most_bytes = limit_of(found.name) if found else DEFAULT_BYTES
            if most_bytes == STREAMED:
                await self._app(scope, body.receive, answer.send)
            else:
                await self._with_whole(scope, body, most_bytes, answer.send)
        except StallscopeError as error:
            if answer.begun:
                raise
            await problem_of(error)(scope, body.receive, answer.send)

    async def _with_whole(self, scope: Scope, body: _Body, most_bytes: int, send: Send) -> None:
        content = bytearray()
        try:
            _check_length(body.headers, most_bytes)
            while body.more:
                message = await body.receive()
                if message["type"] == "http.disconnect":
                    return
                piece: bytes = message.get("body", b"")
                self._held_bytes += len(piece)
                content += piece
                if len(content) > most_bytes:
                    raise _too_large(most_bytes)
                if self._held_bytes > HELD_AT_MOST_BYTES:
                    raise Unavailable("Too many large requests at the same time. Try again in a moment.")
            check_json(content)
            if content and "json" in body.headers.get("content-type", "").lower():
                check_strict(content)
            await self._app(scope, _replay(bytes(content), body.receive), send)
        finally:
            self._held_bytes -= len(content)


class _Body:
    """What the client sends, with a limit on the time that is waited for it."""

    def __init__(self, headers: Headers, receive: Receive) -> None:
        self.headers = headers
        self.more = True
        self.received_bytes = 0
        self._receive = receive
        self._waited_s = 0.0

    async def receive(self) -> Message:
        if not self.more:
            return await self._receive()
        began = time.monotonic()
        left_s = GRACE_S + self.received_bytes / SLOWEST_BYTES_S - self._waited_s
        try:
            async with asyncio.timeout(max(left_s, 0.0)):
                message = await self._receive()
        except TimeoutError:
            raise TooSlow(
                f"The request's body arrived too slowly (limit {SLOWEST_BYTES_S:,} bytes a second "
                f"after {GRACE_S:.0f} s)."
            ) from None
        self._waited_s += time.monotonic() - began
        self.received_bytes += len(message.get("body", b""))
        self.more = message["type"] == "http.request" and message.get("more_body", False)
        return message

    async def drain(self) -> bool:
        """Read what is still to come, where that is little; whether all of it came."""
        announced = self.headers.get("content-length", "")
        asks_first = "expect" in self.headers and not self.received_bytes
        if asks_first or (announced and int(announced) - self.received_bytes > DRAINED_BYTES):
            return False
        most_bytes = self.received_bytes + DRAINED_BYTES
        try:
            async with asyncio.timeout(DRAINED_S):
                while self.more and self.received_bytes < most_bytes:
                    await self.receive()
        except (TimeoutError, TooSlow):
            return False
        return not self.more


class _Answer:
    """The way of an answer; one that is given before the body was read ends the connection."""

    def __init__(self, body: _Body, send: Send) -> None:
        self.begun = False
        self._body = body
        self._send = send

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.begun = True
            if self._body.more and _has_body(self._body.headers) and not await self._body.drain():
                message["headers"] = [*message.get("headers", []), (b"connection", b"close")]
        await self._send(message)


def _has_body(headers: Headers) -> bool:
    return "transfer-encoding" in headers or headers.get("content-length", "0") != "0"


def _check_headers(headers: Headers) -> None:
    for name in SINGLE:
        if len(headers.getlist(name)) > 1:
            raise InvalidRequest(f"The header {name} stands more than once.")
    if "transfer-encoding" in headers and "content-length" in headers:
        raise InvalidRequest("A request has either Content-Length or Transfer-Encoding, not both.")


def _check_length(headers: Headers, most_bytes: int) -> None:
    announced = headers.get("content-length", "0")
    if not re.fullmatch(r"[0-9]{1,19}", announced):
        raise InvalidRequest("Content-Length is no number of bytes.")
    if int(announced) > most_bytes:
        raise _too_large(most_bytes)


def _too_large(most_bytes: int) -> TooLarge:
    most = f"{most_bytes // _MIB} MiB" if most_bytes >= _MIB else f"{most_bytes // _KIB} KiB"
    return TooLarge(f"Request body too large (limit {most}).")


def _replay(content: bytes, receive: Receive) -> Receive:
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": content, "more_body": False}

    return again
