"""Overwrites credentials in a capture file: the same length, everything else byte for byte as it was.

The streams that carry credentials are put together from the frames, so that a value split over segments or chunks is
found whole; each byte of it is overwritten in every frame that holds it. TCP checksums are left as they were."""

from __future__ import annotations

import mmap
import os
import re
import shutil
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from backend.forensics.captures import Capture
from backend.forensics.connections import NEVER
from backend.forensics.packets import TCP
from workers.decode.credentials import credential_connections
from workers.decode.frame_places import NotWalkable, walk_frames

Ints = NDArray[np.int64]

FILLER: Final = b"x"
WINDOW_BYTES: Final = 16 << 20
"""A stream is looked at in windows of this size, each with the beginning of the next."""
OVERLAP_BYTES: Final = 64 << 10
SEARCHED_BYTES: Final = 8 << 30
"""Work that finding further copies of the values may cost (bytes of the file times values)."""
_LEAST_SEARCHED: Final = 12

SECRET_VALUES: Final = re.compile(
    rb'(?i)"(?:AccessKeyId|SecretAccessKey|AccessKeySecret|SecurityToken|Token|SessionToken|access_token|refresh_token'
    rb'|id_token|client_secret)"\s*:\s*"([^"\0]*)'
)
SECRET_HEADERS: Final = re.compile(
    rb"(?i)\n(?:authorization|proxy-authorization|x-aws-ec2-metadata-token|x-aliyun-ecs-metadata-token"
    rb"|x-amz-security-token|cookie|set-cookie)[ \t]*:[ \t]*([^\r\n\0]+)"
)
_CHUNK_LINE: Final = re.compile(rb"\r\n[0-9a-fA-F]{1,8}(?:;[^\r\n]*)?\r\n")
_OPAQUE: Final = r"(?i)/api/token$|/identity(?:\?|$)"
"""Targets whose answer is nothing but a token."""


@dataclass(frozen=True)
class Scrubbed:
    """What was overwritten."""

    values: int
    frames: int


@dataclass(frozen=True)
class _Stream:
    """One direction of one connection; `start` counts from its first byte, `at` is the place in the file."""

    start: Ints
    at: Ints
    length: Ints
    opaque: tuple[tuple[int, int], ...]
    """(first byte, end) of answers that are tokens as a whole, heads included."""


def scrub_capture(path: Path, capture: Capture, packets: Path, target: Path) -> Scrubbed:
    """Writes the scrubbed file to `target`. `packets` is the capture's packet table.

    Raises NotWalkable for files whose frames have no place of their own (compressed ones, rare formats)."""
    wanted = credential_connections(capture)
    streams = _streams(path, capture, packets, wanted)
    shutil.copyfile(path, target)
    values: set[bytes] = set()
    count = frames = 0
    with target.open("r+b") as file, mmap.mmap(file.fileno(), 0) as data:
        for stream in streams:
            found = list(_secrets(stream, data))
            count += len(found)
            for first, end in found:
                values.add(_content(stream, data, first, end))
            for first, end in found:
                frames += _overwrite(stream, data, first, end)
        _overwrite_copies(data, values)
        data.flush()
        os.fsync(file.fileno())
    return Scrubbed(count, frames)


def _streams(path: Path, capture: Capture, packets: Path, wanted: frozenset[int]) -> list[_Stream]:
    columns = ["frame", "connection", "protocol", "sequence", "payload_bytes", "acknowledgement"]
    columns += ["source_port", "destination_port", "source_high", "source_low"]
    table = (
        pq.read_table(packets, columns=columns, filters=[("connection", "in", sorted(wanted))])
        if wanted
        else None
    )
    if table is None:
        return []
    rows = {name: table.column(name).to_numpy().astype(np.uint64) for name in columns}
    keep = (rows["protocol"] == TCP) & (rows["payload_bytes"] > 0)
    rows = {name: values[keep] for name, values in rows.items()}
    at, length = _places(path, rows)
    rows = {name: values[at > 0] for name, values in rows.items()}
    length, at = length[at > 0], at[at > 0]
    sender = np.stack([rows[n] for n in ("connection", "source_port", "source_low", "source_high")], axis=1)
    number = np.unique(sender, axis=0, return_inverse=True)[1].reshape(-1)
    answers = _opaque_answers(capture)
    streams = []
    for each in range(int(number.max()) + 1 if len(number) else 0):
        mine = np.flatnonzero(number == each)
        begin, start = _unwrapped(rows["sequence"][mine].astype(np.int64))
        connection = int(rows["connection"][mine[0]])
        opaque = [((first - begin) & 0xFFFFFFFF, count) for first, count in answers.get(connection, [])]
        limit = int((start + length[mine]).max())
        inside = tuple((first, first + count) for first, count in opaque if first < limit)
        order = np.argsort(start, kind="stable")
        streams.append(_Stream(start[order], at[mine][order], length[mine][order], inside))
    return streams


def _unwrapped(sequence: Ints) -> tuple[int, Ints]:
    """(sequence number of the stream's first byte, distance of each segment from it)."""
    steps = np.diff(sequence, prepend=sequence[:1])
    steps = (steps + 0x80000000) % 0x100000000 - 0x80000000
    distance = np.cumsum(steps)
    return int((sequence[0] + distance.min()) & 0xFFFFFFFF), distance - distance.min()


def _places(path: Path, rows: dict[str, NDArray[np.uint64]]) -> tuple[Ints, Ints]:
    """(place of the payload in the file, captured bytes of it) of each row; 0 where the TCP header is not found."""
    at, length = np.zeros(len(rows["frame"]), np.int64), np.zeros(len(rows["frame"]), np.int64)
    order = np.argsort(rows["frame"], kind="stable")
    names = ("source_port", "destination_port", "sequence", "acknowledgement")
    keys = np.stack([rows[name] for name in names], axis=1)
    frames = rows["frame"][order].tolist()
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        walk = walk_frames(data)
        number, place = 0, (0, 0)
        for row, frame in zip(order.tolist(), frames, strict=True):
            while number < frame:
                place = next(walk, (0, 0))
                number += 1
            head = data.find(struct.pack("!HHII", *keys[row].tolist()), place[0], place[1])
            if head >= 0 and head + 12 < place[1]:
                begin = head + 4 * (data[head + 12] >> 4)
                at[row] = begin
                length[row] = max(0, min(int(rows["payload_bytes"][row]), place[1] - begin))
    return at, length


def _opaque_answers(capture: Capture) -> dict[int, list[tuple[int, int]]]:
    """By connection: (sequence number, bytes) of answers that are nothing but a token."""
    found: dict[int, list[tuple[int, int]]] = {}
    names = ["connection", "response_sequence", "response_bytes", "status", "token_ttl_s", "path"]
    for batch in capture.messages.http.batches(names):
        asks = pc.match_substring_regex(batch.column("path"), _OPAQUE).to_numpy(zero_copy_only=False)
        tells = batch.column("token_ttl_s").to_numpy() != NEVER
        answered = batch.column("status").to_numpy() == 200
        for row in np.flatnonzero((asks.astype(np.bool_) | tells) & answered).tolist():
            connection, sequence, count = (int(batch.column(name)[row].as_py()) for name in names[:3])
            found.setdefault(connection, []).append((sequence, count))
    return found


def _windows(stream: _Stream) -> Iterator[tuple[int, int]]:
    end = int((stream.start + stream.length).max(initial=0))
    for begin in range(0, end, WINDOW_BYTES):
        yield begin, min(end, begin + WINDOW_BYTES + OVERLAP_BYTES)


def _content(stream: _Stream, data: mmap.mmap, begin: int, end: int) -> bytes:
    """The stream's bytes; NUL where no frame holds them."""
    content = bytearray(end - begin)
    longest = int(stream.length.max(initial=0))
    first, last = np.searchsorted(stream.start, [begin - longest, end])
    for number in range(int(first), int(last)):
        start, at, length = int(stream.start[number]), int(stream.at[number]), int(stream.length[number])
        skip, stop = max(0, begin - start), min(length, end - start)
        if skip < stop:
            content[start + skip - begin : start + stop - begin] = data[at + skip : at + stop]
    return bytes(content)


def _secrets(stream: _Stream, data: mmap.mmap) -> Iterator[tuple[int, int]]:
    """(first byte, end) of each stretch of a secret within the stream, chunk sizes between left out."""
    for begin, end in _windows(stream):
        content = _content(stream, data, begin, end)
        text, place = _without_chunk_lines(content)
        spans = [
            match.span(1) for pattern in (SECRET_VALUES, SECRET_HEADERS) for match in pattern.finditer(text)
        ]
        for first, stop in stream.opaque:
            body = content.find(b"\r\n\r\n", max(0, first - begin), max(0, stop - begin))
            if body >= 0:
                spans.append(tuple(np.searchsorted(place, [body + 4, stop - begin]).tolist()))
        for span in spans:
            yield from _stretches(place[span[0] : span[1]] + begin)


def _without_chunk_lines(content: bytes) -> tuple[bytes, Ints]:
    """(the bytes without lines that tell the size of a chunk, the place of each of them before)."""
    keep = np.ones(len(content), np.bool_)
    for match in _CHUNK_LINE.finditer(content):
        keep[match.start() : match.end()] = False
    place = np.flatnonzero(keep)
    return np.frombuffer(content, np.uint8)[place].tobytes(), place


def _stretches(place: Ints) -> Iterator[tuple[int, int]]:
    if len(place):
        for part in np.split(place, np.flatnonzero(np.diff(place) != 1) + 1):
            yield int(part[0]), int(part[-1]) + 1


def _overwrite(stream: _Stream, data: mmap.mmap, first: int, end: int) -> int:
    """In every frame that holds some of it; how many these are."""
    longest = int(stream.length.max(initial=0))
    low, high = np.searchsorted(stream.start, [first - longest, end])
    touched = 0
    for number in range(int(low), int(high)):
        start, at, length = int(stream.start[number]), int(stream.at[number]), int(stream.length[number])
        skip, stop = max(0, first - start), min(length, end - start)
        if skip < stop:
            data[at + skip : at + stop] = FILLER * (stop - skip)
            touched += 1
    return touched


def _overwrite_copies(data: mmap.mmap, values: set[bytes]) -> None:
    """The same values elsewhere in the file, in frames that belong to no stream that was put together."""
    known = sorted(v for v in values if len(v) >= _LEAST_SEARCHED and b"\0" not in v and v.strip(FILLER))
    if len(known) * len(data) > SEARCHED_BYTES:
        return
    for value in known:
        at = data.find(value)
        while at >= 0:
            data[at : at + len(value)] = FILLER * len(value)
            at = data.find(value, at + len(value))


__all__ = ["NotWalkable", "Scrubbed", "scrub_capture"]
