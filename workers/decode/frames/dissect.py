"""One frame taken apart: by tshark with the packets of its connection before it, or by scapy alone."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from backend.errors import NotFound
from workers.decode import scapy_tools
from workers.decode.frames.bounded import Bounds, run_bounded
from workers.decode.frames.pcapng_file import PcapngFile
from workers.decode.frames.secrets import changed, without_secrets
from workers.decode.frames.stored import StoredFrame, frames_at, mapped
from workers.decode.frames.tree import Pdml
from workers.decode.frames.tshark import find_tshark, frame_numbers_of, frame_pdml

SHOWN_BYTES: Final = 64 << 10
"""Bytes of a frame that the hex view shows."""
_SCAPY: Final = Path(scapy_tools.__file__).with_name("dissect.py")


@dataclass(frozen=True)
class FrameRequest:
    """A frame and the frames of its connection before it, as numbers of the file."""

    frame: int
    before: tuple[int, ...]
    whole: bool
    """`before` begins with the connection's first packet and leaves none out."""


def dissect_frame(
    clean: Path, original: Path, asked: FrameRequest, scratch: Path, bounds: Bounds
) -> dict[str, Any]:
    """The tree, the bytes in hex, and what was taken out of them. `clean` is the capture without credentials,
    `original` the plain capture. Raises NotFound, TooCostly."""
    with mapped(clean) as data:
        frames = [without_secrets(frame) for frame in frames_at(data, [*asked.before, asked.frame])]
    if not frames or frames[-1].number != asked.frame:
        raise NotFound("The frame is not in the stored file.")
    frame = frames[-1]
    with mapped(original) as data:
        before = next(iter(frames_at(data, [asked.frame]))).data
    tree, by, cut = _tree(frames, asked, scratch, bounds)
    return {
        "frame": asked.frame,
        "by": by,
        "tree": tree,
        "tree_cut": cut,
        "captured_bytes": len(frame.data),
        "original_bytes": frame.original_bytes,
        "hex": frame.data[:SHOWN_BYTES].hex(),
        "removed": [list(span) for span in changed(before, frame.data)],
    }


def _tree(
    frames: list[StoredFrame], asked: FrameRequest, scratch: Path, bounds: Bounds
) -> tuple[list[dict[str, Any]], str, bool]:
    tshark = find_tshark()
    if tshark is None:
        link_type = frames[-1].interface.interface.link_type
        return _by_scapy(frames[-1].data, link_type, scratch, bounds), "scapy", False
    small = scratch / "frames.pcapng"
    with small.open("wb") as file:
        writer = PcapngFile(file)
        for frame in frames:
            writer.write("capture", frame)
    reader = Pdml(frames[-1].data, [frame.number for frame in frames], _numbered(tshark, scratch, bounds))
    pieces = frame_pdml(tshark, small, len(frames), scratch, bounds, whole=asked.whole)
    return [node.plain() for node in reader.read(pieces)], "tshark", reader.cut


@cache
def _kept_numbered(tshark: str) -> list[frozenset[str]]:
    return []


def _numbered(tshark: str, scratch: Path, bounds: Bounds) -> frozenset[str]:
    """Asked of tshark once for each process."""
    kept = _kept_numbered(tshark)
    if not kept:
        kept.append(frame_numbers_of(tshark, scratch, bounds))
    return kept[0]


def _by_scapy(frame: bytes, link_type: int, scratch: Path, bounds: Bounds) -> list[dict[str, Any]]:
    given = json.dumps({"link_type": link_type, "hex": frame.hex()}).encode()
    command: Sequence[str] = [sys.executable, "-I", str(_SCAPY)]
    answer = b"".join(run_bounded(command, scratch, bounds, given=given))
    found: list[dict[str, Any]] = json.loads(answer)
    return found
