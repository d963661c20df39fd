"""Exactly some frames of some captures as one pcapng; several captures in order of time."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from workers.decode.frames.pcapng_file import PcapngFile
from workers.decode.frames.secrets import without_secrets
from workers.decode.frames.stored import StoredFrame, frames_at, mapped

_NOTIFY_EVERY: Final = 20_000


@dataclass(frozen=True)
class CarvedFrom:
    """A plain capture without credentials, and the frames that are wanted of it, ascending."""

    name: str
    path: Path
    frames: Sequence[int]


def carve(sources: Sequence[CarvedFrom], target: Path, heard: Callable[[int], None]) -> int:
    """Writes the frames, each with a comment that says which it was; how many there were. Raises NotWalkable."""

    def write(writer: PcapngFile, name: str, frame: StoredFrame) -> None:
        writer.write(name, without_secrets(frame), [f"{name} frame {frame.number}"])

    return _carve(sources, target, heard, write)


def carve_anonymised(sources: Sequence[CarvedFrom], target: Path, heard: Callable[[int], None]) -> int:
    """The same of captures that were anonymised, as they are: nothing says where a frame was."""
    return _carve(sources, target, heard, lambda writer, name, frame: writer.write(name, frame))


def _carve(
    sources: Sequence[CarvedFrom],
    target: Path,
    heard: Callable[[int], None],
    write: Callable[[PcapngFile, str, StoredFrame], None],
) -> int:
    with ExitStack() as stack, target.open("wb") as file:
        streams = [
            _named(source.name, frames_at(stack.enter_context(mapped(source.path)), source.frames))
            for source in sources
        ]
        # A single capture keeps its own order, which need not be that of time.
        merged = streams[0] if len(streams) == 1 else heapq.merge(*streams, key=lambda one: one[1].time_ns)
        writer = PcapngFile(file)
        for name, frame in merged:
            write(writer, name, frame)
            if writer.frames % _NOTIFY_EVERY == 0:
                heard(writer.frames)
    return writer.frames


def _named(name: str, frames: Iterator[StoredFrame]) -> Iterator[tuple[str, StoredFrame]]:
    for frame in frames:
        yield name, frame
