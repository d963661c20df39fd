"""Overwrites credentials in a capture file: the same length, everything else byte for byte as it was.

Which connections carry them was decided when the capture was decoded. Of these, each packet is looked at alone: of its
payload stays what is understood as the head of a message and known to be harmless, and nothing else. So it
does not matter which packets were lost, cut, repeated or out of order, nor how a body is packed. TCP checksums are left
as they were."""

from __future__ import annotations

import mmap
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow.dataset as ds
from numpy.typing import NDArray

from backend.forensics.captures import Capture
from backend.forensics.packets import NO_CONNECTION
from workers.decode.clear_payload import clear_payload, secret_values
from workers.decode.frame_places import NotWalkable, secret_blocks, walk_frames
from workers.decode.payload_place import COLUMNS, PacketRow, payload_place

FILLER: Final = b"x"
SEARCHED_BYTES: Final = 8 << 30
"""Work that finding further copies of the values may cost (bytes of the file times values)."""


@dataclass(frozen=True)
class Scrubbed:
    """What was overwritten."""

    values: int
    """Different keys and tokens that were recognized in it."""
    frames: int


def _for_its_owner(path: str, flags: int) -> int:
    """A confined process may set a file's rights only when it creates it."""
    return os.open(path, flags, 0o600)


def scrub_capture(path: Path, capture: Capture, packets: Path, target: Path) -> Scrubbed:
    """Writes the scrubbed file to `target`. `packets` is the capture's packet table.

    Raises NotWalkable for files whose frames have no place of their own (compressed ones, rare formats)."""
    with path.open("rb") as source, open(target, "wb", opener=_for_its_owner) as copy:
        shutil.copyfileobj(source, copy)
    values: set[bytes] = set()
    frames = 0
    with target.open("r+b") as file, mmap.mmap(file.fileno(), 0) as data:
        for row, begin, end in _frames_to_clear(data, capture, packets):
            place = payload_place(data, begin, end, row)
            payload = data[place:end]
            if not payload.strip(b"\0"):
                continue
            values |= secret_values(payload)
            cleared = clear_payload(payload)
            if cleared != payload:
                data[place:end] = cleared
                frames += 1
        _overwrite_copies(data, values)
        for begin, end in secret_blocks(data):
            data[begin:end] = bytes(end - begin)
        data.flush()
        os.fsync(file.fileno())
    return Scrubbed(len(values), frames)


def _frames_to_clear(
    data: mmap.mmap, capture: Capture, packets: Path
) -> Iterator[tuple[PacketRow, int, int]]:
    """(packet, first byte, end) of each frame of such a connection, and of those of no connection: later fragments,
    quotes in ICMP errors and what is not understood may hold pieces of it."""
    if not capture.credentials:
        return
    walk, number, place = walk_frames(data), 0, (0, 0)
    wanted = np.append(capture.credentials.connections, np.uint32(NO_CONNECTION))
    for rows in _rows(packets, wanted):
        for row in rows:
            while number < row.frame:
                place = next(walk, (0, 0))
                number += 1
            if place[0] < place[1]:
                yield row, *place


def _rows(packets: Path, wanted: NDArray[np.uint32]) -> Iterator[list[PacketRow]]:
    for batch in ds.dataset(packets).to_batches(columns=list(COLUMNS)):
        keep = np.isin(batch.column("connection").to_numpy(), wanted)
        columns = [batch.column(name).to_numpy()[keep].tolist() for name in COLUMNS]
        yield [PacketRow(*values) for values in zip(*columns, strict=True)]


def _overwrite_copies(data: mmap.mmap, values: set[bytes]) -> None:
    """The same values elsewhere in the file, in frames of other connections."""
    if len(values) * len(data) > SEARCHED_BYTES:
        return
    for value in sorted(values):
        at = data.find(value)
        while at >= 0:
            data[at : at + len(value)] = FILLER * len(value)
            at = data.find(value, at + len(value))


__all__ = ["NotWalkable", "Scrubbed", "scrub_capture"]
