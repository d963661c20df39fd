"""Credentials out of single frames: what is seen of them in one frame is overwritten, whatever connection it is of.

Values that are spread over frames are found by `scrubbing`, which puts streams together; this is the second net. As in
the message tables, values of queries and users of addresses go, too: signatures and tokens travel there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from workers.decode.frames.stored import StoredFrame
from workers.decode.scrubbing import FILLER, SECRET_HEADERS, SECRET_VALUES

_ADDRESSES: Final = re.compile(
    rb"(?:(?<=[A-Z] )|(?i:\n(?:location|referer):[ \t]*))(?:/|\w{3,8}://)([^\s\0]+)"
)
_USER: Final = re.compile(rb"^([^/@?#\s]+)@")
_PARAMETER: Final = re.compile(rb"[?&;#](?:[^=&;#]*=)?([^&;#]+)")
_COULD_HOLD: Final = 20
"""Bytes: a shorter frame has no room for headers and a secret."""
_NEAR: Final = 8


def without_secrets(frame: StoredFrame) -> StoredFrame:
    """The frame, the same length, with the values of credentials overwritten."""
    if len(frame.data) < _COULD_HOLD:
        return frame
    spans = list(_spans(frame.data))
    if not spans:
        return frame
    data = bytearray(frame.data)
    for begin, end in spans:
        data[begin:end] = FILLER * (end - begin)
    return replace(frame, data=bytes(data))


def _spans(data: bytes) -> Iterator[tuple[int, int]]:
    for pattern in (SECRET_VALUES, SECRET_HEADERS):
        for match in pattern.finditer(data):
            yield match.span(1)
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
