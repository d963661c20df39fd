"""Bounds of the server on connections: how many, and how long each may take to say what it wants.

uvicorn waits without end for the header of a request. Here a connection is closed when a header is not complete in
time, and refused beyond a number that the process has file descriptors for.
"""

from __future__ import annotations

import asyncio
import resource
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEADER_WITHIN_S: Final = 20.0
CONNECTIONS_AT_MOST: Final = 1_000
"""Event streams are most of them: each open tab has one."""
HEADER_AT_MOST_BYTES: Final = 64 << 10
_OTHER_DESCRIPTORS: Final = 256
_BUSY: Final = (
    b'{"type": "about:blank", "title": "Not available at the moment", "status": 503, '
    b'"detail": "Too many connections. Try again in a moment."}'
)
_BUSY_ANSWER: Final = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\n"
    b"Content-Type: application/problem+json\r\nContent-Length: %d\r\n\r\n%s" % (len(_BUSY), _BUSY)
)


def connections_at_most() -> int:
    """As many as the process may have descriptors for; the soft limit of those is raised first."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = CONNECTIONS_AT_MOST + _OTHER_DESCRIPTORS
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY:
        return CONNECTIONS_AT_MOST
    return max(1, min(CONNECTIONS_AT_MOST, soft - _OTHER_DESCRIPTORS))


class BoundedConnection(H11Protocol):
    """One connection."""

    header_within_s = HEADER_WITHIN_S
    at_most = CONNECTIONS_AT_MOST

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.at_most:
            transport.write(_BUSY_ANSWER)
            transport.close()
            return
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._rest()
        super().connection_lost(exc)

    def _watch(self) -> None:
        """The time runs from the first moment of waiting for a header, whatever trickles in meanwhile."""
        if self.conn.their_state is not h11.IDLE:
            self._rest()
        elif self._deadline is None and not self.transport.is_closing():
            self._deadline = self.loop.call_later(self.header_within_s, self._give_up)

    def _rest(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._deadline = None
        if self.conn.their_state is h11.IDLE:
            self.transport.close()


def bounded_connections() -> type[BoundedConnection]:
    """The protocol for a server of this process."""
    BoundedConnection.at_most = connections_at_most()
    return BoundedConnection
