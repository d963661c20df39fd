"""The server of the running product."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Final

import uvicorn

END_STREAMS: Final = "end_streams"
"""Of the state that the application's start yields: what ends all event streams."""


class Server(uvicorn.Server):
    """Ends event streams first when it stops: else it waits for them, cancels them, and writes a trace for each."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """As uvicorn does, after the streams were informed that they are over."""
        end_streams: Callable[[], None] | None = self.lifespan.state.get(END_STREAMS)
        if end_streams is not None:
            end_streams()
        await super().shutdown(sockets)
