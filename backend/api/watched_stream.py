"""Event streams stay open for hours: each piece goes out only while the right that opened them lasts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from anyio import to_thread
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import Message, Send

from backend.errors import Unavailable

EVENT_STREAM = "text/event-stream"


class Ended(OSError):  # noqa: N818
    """To whoever writes the stream, as if the client had gone (ASGI 2.4)."""


class WatchedStream:
    """Sends one answer; asks again before each piece of it when it is an event stream. Heartbeats are pieces, too."""

    def __init__(self, send: Send, is_admitted: Callable[[], bool]) -> None:
        self._send = send
        self._is_admitted = is_admitted
        self._is_stream = False
        self._ended = False

    async def run(self, app: Callable[[Send], Awaitable[None]]) -> None:
        """Let the application answer; that a stream ended early is no failure of it."""
        try:
            await app(self._pass)
        except (Ended, ClientDisconnect):
            if not self._ended:
                raise

    async def _pass(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            kind = Headers(raw=message["headers"]).get("content-type", "")
            self._is_stream = kind.startswith(EVENT_STREAM)
        elif self._is_stream and message.get("more_body") and not await self._lasts():
            self._ended = True
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})
            raise Ended
        await self._send(message)

    async def _lasts(self) -> bool:
        try:
            return await to_thread.run_sync(self._is_admitted)
        except Unavailable:
            return True  # the database is away, and with it all that could be told
