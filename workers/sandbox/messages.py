"""Messages on the pipe between parent and child: a kind, a length, and bytes. A reader takes no more than it allows."""

from __future__ import annotations

import socket
import struct
from typing import Final

ORDER, NEWS, DONE, UNREADABLE, TOO_COSTLY, FAILED = range(6)
_HEAD: Final = struct.Struct("<BQ")
_PIECE: Final = 1 << 16


class TooLong(Exception):  # noqa: N818 (it says what the message is)
    """The message is longer than the reader allows."""


class NotAMessage(Exception):  # noqa: N818 (it says what the bytes are)
    """The bytes are no message."""


def send_message(pipe: socket.socket, kind: int, content: bytes) -> None:
    """Raises OSError when the other side is gone."""
    pipe.sendall(_HEAD.pack(kind, len(content)))
    pipe.sendall(content)


class MessageReader:
    """Puts messages together of what has arrived, however it is cut."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._arrived = bytearray()

    def take(self, pipe: socket.socket) -> bool:
        """Take what the pipe has ready; False at its end."""
        piece = pipe.recv(_PIECE)
        self._arrived += piece
        return bool(piece)

    def next(self) -> tuple[int, bytes] | None:
        """(kind, content) of the next complete message. Raises TooLong, NotAMessage."""
        if len(self._arrived) < _HEAD.size:
            return None
        kind, length = _HEAD.unpack_from(self._arrived)
        if kind > FAILED:
            raise NotAMessage
        if length > self._most_bytes:
            raise TooLong
        end = _HEAD.size + length
        if len(self._arrived) < end:
            return None
        content = bytes(memoryview(self._arrived)[_HEAD.size : end])
        del self._arrived[:end]
        return kind, content


def read_message(pipe: socket.socket, most_bytes: int) -> tuple[int, bytes]:
    """Wait for one message. Raises EOFError, TooLong, NotAMessage."""
    reader = MessageReader(most_bytes)
    while (message := reader.next()) is None:
        if not reader.take(pipe):
            raise EOFError
    return message
