"""Application messages put back into packets whose payload is gone: those that diagnoses rest on, with other names.

Which they are and where they begin was read when the capture was decoded."""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from backend.forensics.messages import ALERT, REQUEST_SEEN, RESPONSE_SEEN
from backend.forensics.packets import TCP
from workers.decode.anonymise.dns_text import dns_text
from workers.decode.anonymise.http_stream import Beginning, HttpStream
from workers.decode.anonymise.pseudonyms import Pseudonyms
from workers.decode.anonymise.streams import (
    MISSING,
    Ints,
    Patch,
    Stream,
    make_stream,
    put_payload,
    write_patches,
)
from workers.decode.anonymise.tls_text import alert_text, hello_text
from workers.decode.messages.reader import load_messages

_CREDENTIALS: Final = "(?i)credentials|/token"
_WITHOUT_BODY: Final = (204, 304)
_TLS_RECORD_BYTES: Final = 16_384 + 5
_SEGMENT_COLUMNS: Final = (
    "frame",
    "connection",
    "sequence",
    "source_port",
    "source_low",
    "payload_bytes",
    "protocol",
)
_ROWS: Final = 1 << 17


@dataclass
class _Notes:
    """What of a connection was read: beginnings by sequence number, hellos and alerts by frame."""

    http: list[tuple[int, Beginning]] = field(default_factory=list)
    tls: dict[int, int] = field(default_factory=dict)
    is_dns: bool = False


class Messages:
    """The messages of one capture."""

    def __init__(self, tables: Path) -> None:
        """`tables`: where decoding left the packet table and the messages."""
        self._notes_of: dict[int, _Notes] = {}
        self._datagrams: Ints = np.zeros(0, np.int64)
        found = load_messages(tables)
        for batch in found.http.batches(
            ["connection", "request_sequence", "response_sequence", "marks", "status", "method", "path"]
        ):
            self._take_http(batch)
        for batch in found.tls.batches(["connection", "frame", "kind"]):
            for connection, frame, kind in zip(*(batch.column(k).to_pylist() for k in range(3)), strict=True):
                self._of(connection).tls[frame] = kind
        for batch in found.dns.batches(["connection", "frame", "over_tcp"]):
            over_tcp = batch.column("over_tcp").to_numpy() > 0
            self._datagrams = np.append(
                self._datagrams, batch.column("frame").to_numpy()[~over_tcp].astype(np.int64)
            )
            for connection in np.unique(batch.column("connection").to_numpy()[over_tcp]).tolist():
                self._of(connection).is_dns = True
        self._segments = self._read_segments(tables / "packets.parquet")

    def _of(self, connection: int) -> _Notes:
        return self._notes_of.setdefault(connection, _Notes())

    def _take_http(self, batch: pa.RecordBatch) -> None:
        holds = pc.match_substring_regex(batch.column("path"), _CREDENTIALS).to_numpy(zero_copy_only=False)
        names = ("connection", "request_sequence", "response_sequence", "marks", "status", "method")
        columns = (batch.column(name).to_pylist() for name in names)
        for connection, request, response, marks, status, method, held in zip(*columns, holds, strict=True):
            notes_on = self._of(connection).http
            if marks & REQUEST_SEEN:
                notes_on.append((request, Beginning(0, True, False)))
            if marks & RESPONSE_SEEN:
                has_body = method != "HEAD" and status not in _WITHOUT_BODY
                notes_on.append((response, Beginning(0, has_body, bool(held))))

    def _read_segments(self, packets: Path) -> dict[str, NDArray[Any]]:
        """Of the connections with messages: all segments with payload, in order of the capture."""
        wanted = np.array(sorted(self._notes_of), np.int64)
        parts: dict[str, list[NDArray[Any]]] = {name: [] for name in _SEGMENT_COLUMNS}
        if len(wanted):
            for batch in pq.ParquetFile(packets).iter_batches(_ROWS, columns=list(_SEGMENT_COLUMNS)):
                rows = {name: batch.column(name).to_numpy() for name in _SEGMENT_COLUMNS}
                keep = (
                    (rows["protocol"] == TCP)
                    & (rows["payload_bytes"] > 0)
                    & np.isin(rows["connection"], wanted)
                )
                for name in _SEGMENT_COLUMNS:
                    parts[name].append(rows[name][keep])
        return {name: np.concatenate(each) if each else np.zeros(0, np.int64) for name, each in parts.items()}

    @property
    def frames(self) -> Ints:
        """Whose payload is needed, ascending."""
        return np.union1d(self._segments["frame"].astype(np.int64), self._datagrams)

    def write(
        self, notes: NDArray[np.void], source: mmap.mmap, target: mmap.mmap, pseudonyms: Pseudonyms
    ) -> None:
        """Puts them into the packets. `notes`: NOTE_DTYPE, where the payloads are; ascending frames."""
        self._write_datagrams(notes, source, target, pseudonyms)
        for connection, stream in self._streams(notes):
            patches = sorted(_patches(self._notes_of[connection], stream, source, pseudonyms))
            write_patches(stream, [patch for patch in patches if patch[1]], target)

    def _write_datagrams(
        self, notes: NDArray[np.void], source: mmap.mmap, target: mmap.mmap, pseudonyms: Pseudonyms
    ) -> None:
        for number in _found_at(notes["frame"], self._datagrams)[1].tolist():
            note = notes[number]
            at, count = int(note["at"]), int(note["bytes"])
            shown = dns_text(source[at : at + count], pseudonyms)
            put_payload(target, int(note["place"]), shown, int(note["field"]), is_udp=True)

    def _streams(self, notes: NDArray[np.void]) -> Iterator[tuple[int, Stream]]:
        rows = self._segments
        there, number = _found_at(notes["frame"], rows["frame"].astype(np.int64))
        rows = {name: each[there] for name, each in rows.items()}
        noted = notes[number]
        if not len(noted):
            return
        order = np.lexsort((rows["frame"], rows["source_low"], rows["source_port"], rows["connection"]))
        keys = np.stack(
            [rows[k][order].astype(np.uint64) for k in ("connection", "source_port", "source_low")]
        )
        edges = np.flatnonzero(np.any(keys[:, 1:] != keys[:, :-1], axis=0)) + 1
        for mine in np.split(order, edges):
            places = (noted[name][mine] for name in ("at", "bytes", "place", "field", "frame"))
            yield (
                int(rows["connection"][mine[0]]),
                make_stream(rows["sequence"][mine].astype(np.int64), *places),
            )


def _found_at(sorted_frames: NDArray[Any], asked: Ints) -> tuple[NDArray[np.bool_], Ints]:
    """(which of the asked frames are there, where these are)."""
    if not len(sorted_frames):
        return np.zeros(len(asked), np.bool_), np.zeros(0, np.int64)
    number = np.minimum(np.searchsorted(sorted_frames, asked), len(sorted_frames) - 1)
    there = sorted_frames[number] == asked
    return there, number[there]


def _patches(notes_on: _Notes, stream: Stream, source: mmap.mmap, pseudonyms: Pseudonyms) -> Iterator[Patch]:
    yield from _of_tls(notes_on, stream, source, pseudonyms)
    if notes_on.is_dns:
        yield from _of_dns(stream, source, pseudonyms)
    beginnings = []
    for sequence, found in notes_on.http:
        offset = stream.offset(sequence)
        if offset < stream.end and stream.content(source, offset, offset + 1) != MISSING:
            beginnings.append(Beginning(offset, found.has_body, found.holds_credentials))
    if beginnings:
        yield from HttpStream(stream, source, pseudonyms).patches(sorted(set(beginnings)))


def _of_tls(notes_on: _Notes, stream: Stream, source: mmap.mmap, pseudonyms: Pseudonyms) -> Iterator[Patch]:
    for number, frame in enumerate(stream.frame) if notes_on.tls else ():
        if frame not in notes_on.tls:
            continue
        begin = stream.start[number]
        if notes_on.tls[frame] == ALERT:
            yield begin, alert_text(stream.content(source, begin, begin + 7))
            continue
        length = int.from_bytes(stream.content(source, begin + 3, begin + 5), "big") + 5
        yield (
            begin,
            hello_text(stream.content(source, begin, begin + min(length, _TLS_RECORD_BYTES)), pseudonyms),
        )


def _of_dns(stream: Stream, source: mmap.mmap, pseudonyms: Pseudonyms) -> Iterator[Patch]:
    """Messages behind two bytes that show their length (RFC 1035 section 4.2.2)."""
    at = 0
    while at + 2 <= stream.end:
        length = int.from_bytes(stream.content(source, at, at + 2), "big")
        if length < 12:
            return
        message = stream.content(source, at + 2, at + 2 + length)
        yield at, length.to_bytes(2, "big") + dns_text(message, pseudonyms)
        at += 2 + length
