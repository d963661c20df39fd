"""A line to a real PostgreSQL that can be cut, or go silent, and be mended."""

from __future__ import annotations

import select
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Literal

from sqlalchemy import make_url

PIECE_BYTES = 1 << 16
LOOK_EVERY_S = 0.05
State = Literal["whole", "cut", "silent"]


class CutLine:
    """Forwards a port of its own to the server's."""

    def __init__(self, url: str) -> None:
        parsed = make_url(url)
        self._server = (parsed.host or "127.0.0.1", parsed.port or 5432)
        self._state: State = "whole"
        self._ending = False
        self._listener = self._listen(0)
        self._port: int = self._listener.getsockname()[1]
        self.url = parsed.set(host="127.0.0.1", port=self._port).render_as_string(hide_password=False)
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Every connection ends, and the port is closed."""
        self._state = "cut"

    def silence(self) -> None:
        """Connections stay open and are accepted, and nothing passes."""
        self._state = "silent"

    def mend(self) -> None:
        """All is well again; what was said meanwhile passes."""
        self._state = "whole"

    def end(self) -> None:
        """For good."""
        self._ending = True
        self.cut()

    def _listen(self, port: int) -> socket.socket:
        listener = socket.create_server(("127.0.0.1", port), backlog=200)
        listener.settimeout(LOOK_EVERY_S)
        return listener

    def _accept(self) -> None:
        while not self._ending:
            if self._state == "cut":
                self._listener.close()
                threading.Event().wait(LOOK_EVERY_S)
                continue
            if self._listener.fileno() < 0:
                self._listener = self._listen(self._port)
            with suppress(TimeoutError, OSError):
                client, _ = self._listener.accept()
                threading.Thread(target=self._forward, args=(client,), daemon=True).start()
        self._listener.close()

    def _forward(self, client: socket.socket) -> None:
        with suppress(OSError), client, socket.create_connection(self._server) as server:
            while self._state != "cut":
                if self._state == "silent":
                    threading.Event().wait(LOOK_EVERY_S)
                    continue
                ready, _, _ = select.select((client, server), (), (), LOOK_EVERY_S)
                for end in ready:
                    piece = end.recv(PIECE_BYTES)
                    if not piece:
                        return
                    (server if end is client else client).sendall(piece)


@contextmanager
def line_to(url: str) -> Iterator[CutLine]:
    """A whole one, whose `url` leads to the same database."""
    line = CutLine(url)
    try:
        yield line
    finally:
        line.end()
