"""Where the heads of HTTP messages are in a stream, and the lines between the chunks of their bodies."""

from __future__ import annotations

import mmap
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from workers.decode.anonymise.http_text import FILLER, CredentialsText, head_text
from workers.decode.anonymise.pseudonyms import Pseudonyms
from workers.decode.anonymise.streams import MISSING, Patch, Stream
from workers.decode.messages.credentials_body import SCAN_BYTES

_HEAD_BYTES: Final = 64 << 10
_LINE_BYTES: Final = 256
_MOST_CHUNKS: Final = 1 << 20
_END_OF_HEAD: Final = re.compile(rb"\n\r?\n")
_LENGTH: Final = re.compile(rb"(?i)\ncontent-length[ \t]*:[ \t]*(\d+)[ \t]*\r?\n")
_CHUNKED: Final = re.compile(rb"(?i)\ntransfer-encoding[ \t]*:[^\n]*chunked[ \t]*\r?\n")
_SIZE: Final = re.compile(rb"([0-9a-fA-F]{1,15})([^\n]*?)(\r?\n)")
_STATUS: Final = b"HTTP/1."


@dataclass(frozen=True, order=True)
class Beginning:
    """Where a message begins that was read when the capture was decoded."""

    offset: int
    has_body: bool
    holds_credentials: bool


class HttpStream:
    """The patches of one stream."""

    def __init__(self, stream: Stream, source: mmap.mmap, pseudonyms: Pseudonyms) -> None:
        self._stream, self._source, self._pseudonyms = stream, source, pseudonyms

    def patches(self, beginnings: Sequence[Beginning]) -> Iterator[Patch]:
        """Of all messages; `beginnings` in order."""
        done = 0
        for number, message in enumerate(beginnings):
            after = beginnings[number + 1].offset if number + 1 < len(beginnings) else self._stream.end
            yield from self._between(done, message.offset)
            done = message.offset
            for at, shown, known_to in self._message(message, after):
                yield at, shown
                done = known_to

    def _content(self, begin: int, end: int) -> bytes:
        return self._stream.content(self._source, begin, end)

    def _between(self, begin: int, end: int) -> Iterator[Patch]:
        """Informational answers (RFC 9110 section 15.2), and empty lines."""
        between = self._content(begin, min(end, begin + _HEAD_BYTES))
        if between.startswith(_STATUS):
            yield begin, head_text(between.partition(MISSING)[0], self._pseudonyms)
        elif between and not between.strip(b"\r\n"):
            yield begin, between

    def _message(self, message: Beginning, after: int) -> Iterator[tuple[int, bytes, int]]:
        """(place, what stands there, where the message is known to go on)."""
        begin = message.offset
        content = self._content(begin, min(after, begin + _HEAD_BYTES))
        end = _END_OF_HEAD.search(content)
        head = (content[: end.end()] if end else content).partition(MISSING)[0]
        yield begin, head_text(head, self._pseudonyms), begin + len(head)
        if end is None or len(head) < end.end() or not message.has_body:
            return
        at = begin + len(head)
        body = CredentialsText() if message.holds_credentials else None
        if _CHUNKED.search(head):
            yield from self._chunks(at, after, body)
            return
        length = _LENGTH.search(head)
        stop = min(after, at + int(length[1])) if length else after
        if body is not None:
            yield at, body.take(self._content(at, min(stop, at + SCAN_BYTES))), stop
        else:
            yield at, b"", stop

    def _chunks(self, at: int, after: int, body: CredentialsText | None) -> Iterator[tuple[int, bytes, int]]:
        """RFC 9112 section 7.1: size, data, line end, and so on; then trailers."""
        scanned = 0
        for _ in range(_MOST_CHUNKS):
            line = self._content(at, min(after, at + _LINE_BYTES))
            found = _SIZE.match(line)
            if found is None:
                return
            size = int(found[1], 16)
            at += found.end()
            yield at - found.end(), _size_line(found), at
            if size == 0:
                yield from self._trailers(at, after)
                return
            if body is not None and scanned < SCAN_BYTES:
                yield (
                    at,
                    body.take(self._content(at, min(after, at + min(size, SCAN_BYTES - scanned)))),
                    at + size,
                )
                scanned += size
            at += size
            ending = self._content(at, min(after, at + 2))
            ending = ending[: 1 if ending.startswith(b"\n") else 2]
            if ending.strip(b"\r\n"):
                return
            at += len(ending)
            yield at - len(ending), ending, at

    def _trailers(self, at: int, after: int) -> Iterator[tuple[int, bytes, int]]:
        rest = self._content(at, min(after, at + _HEAD_BYTES)).partition(MISSING)[0]
        end = re.search(rb"^\r?\n|\n\r?\n", rest)
        rest = rest[: end.end()] if end else rest
        yield at, head_text(rest, self._pseudonyms, is_first=False), at + len(rest)


def _size_line(found: re.Match[bytes]) -> bytes:
    """An extension behind the size (RFC 9112 section 7.1.1) is nobody's business."""
    extension = re.sub(rb"[^ \t;]", FILLER.encode(), found[2])
    return found[1] + extension + found[3]
