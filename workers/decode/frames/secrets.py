"""Credentials out of single frames: what is seen of them in one frame is overwritten, whatever connection it is of.

Connections that carry credentials were cleared before (`scrubbing`); this is the second net. As in the message tables,
values of queries and users of addresses go, too: signatures and tokens travel there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from workers.decode.clear_payload import FILLER, clear_payload
from workers.decode.frames.stored import StoredFrame
from workers.decode.loop.credential_signs import WORDS

_SIGN: Final = re.compile(b"(?i)" + b"|".join(re.escape(word) for word, _ in WORDS))
_BEGINNING: Final = re.compile(rb"[A-Z]{3,16} [!-~]+ HTTP/1\.[01]\r?\n|HTTP/1\.[01] \d{3}[ \r\n]")
_NO_TEXT: Final = re.compile(rb"[^ -~\t\r\n]")
_ADDRESSES: Final = re.compile(
    rb"(?:(?<=[A-Z] )|(?i:\n(?:location|referer):[ \t]*))(?:/|\w{3,8}://)([^\s\0]+)"
)
_USER: Final = re.compile(rb"^([^/@?#\s]+)@")
_PARAMETER: Final = re.compile(rb"[?&;#](?:[^=&;#]*=)?([^&;#]+)")
_COULD_HOLD: Final = 20
"""Bytes: a shorter frame has no room for headers and a secret."""
_NEAR: Final = 8


def without_secrets(frame: StoredFrame) -> StoredFrame:
    """The frame, the same length, without what may be credentials."""
    if len(frame.data) < _COULD_HOLD:
        return frame
    data = bytearray(frame.data)
    for begin, end in list(_spans(frame.data)):
        data[begin:end] = FILLER * (end - begin)
    sign = _SIGN.search(data)
    if sign is not None:
        begin = _begin_of_text(bytes(data), sign.start())
        data[begin:] = clear_payload(bytes(data[begin:]))
    return replace(frame, data=bytes(data)) if data != frame.data else frame


def _begin_of_text(data: bytes, sign: int) -> int:
    """Where the message or the text begins that a sign of credentials stands in."""
    text = 0
    for other in _NO_TEXT.finditer(data, 0, sign):
        text = other.end()
    message = _BEGINNING.search(data, text)
    near = message is not None and message.start() - text < _NEAR
    return message.start() if message is not None and near else text


def _spans(data: bytes) -> Iterator[tuple[int, int]]:
    for match in _ADDRESSES.finditer(data):
        begin = match.start(1)
        for pattern in (_USER, _PARAMETER):
            for found in pattern.finditer(match.group(1)):
                yield begin + found.start(1), begin + found.end(1)


def changed(before: bytes, after: bytes) -> list[tuple[int, int]]:
    """(first byte, end) of each stretch in which two frames of one length differ, near ones joined."""
    found: list[tuple[int, int]] = []
    for at, (old, new) in enumerate(zip(before, after, strict=False)):
        if old == new:
            continue
        if found and at - found[-1][1] < _NEAR:
            found[-1] = (found[-1][0], at + 1)
        else:
            found.append((at, at + 1))
    return found
