"""Event streams stay open for hours: each piece goes out only while the right that opened them lasts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from anyio import to_thread
from starlette.datastructures import Headers
from starlette.types import Message, Send

from backend.api.departures import StreamEnded
from backend.errors import Unavailable

EVENT_STREAM = "text/event-stream"


class WatchedStream:
    """Sends one answer; asks again before each piece of it when it is an event stream. Heartbeats are pieces, too."""

    def __init__(self, send: Send, is_admitted: Callable[[], bool]) -> None:
        self._send = send
        self._is_admitted = is_admitted
        self._is_stream = False

    async def run(self, app: Callable[[Send], Awaitable[None]]) -> None:
        """Let the application answer; raises StreamEnded, or what it became, where the stream was ended early."""
        await app(self._pass)

    async def _pass(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            kind = Headers(raw=message["headers"]).get("content-type", "")
            self._is_stream = kind.startswith(EVENT_STREAM)
        elif self._is_stream and message.get("more_body") and not await self._lasts():
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})
            raise StreamEnded
        await self._send(message)

    async def _lasts(self) -> bool:
        try:
            return await to_thread.run_sync(self._is_admitted)
        except Unavailable:
            return True  # the database is away, and with it all that could be sent
