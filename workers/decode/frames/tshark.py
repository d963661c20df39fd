"""tshark, where it is installed: display filters over a file, and the tree of one frame."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from workers.decode.frames.bounded import Bounds, ProgramFailed, run_bounded

QUIET: Final = ("-n", "-Q", "-o", "nameres.mac_name:FALSE", "-o", "nameres.network_name:FALSE")
_NOISE: Final = re.compile(r"^(?:Running as user .*|tshark: |\s*\(?tshark:\d+\).*)", re.MULTILINE)
_POINTER: Final = re.compile(r"^(\s*)(\^~*)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class FilterMistake:
    """What tshark does not understand of a filter, and where (characters)."""

    sentence: str
    at: int = 0
    length: int = 0


def find_tshark() -> str | None:
    """Path of the program, None where it is not installed."""
    return shutil.which("tshark")


def matching_frames(
    tshark: str, path: Path, text: str, scratch: Path, bounds: Bounds, heard: Callable[[int], None]
) -> list[int]:
    """Numbers of the frames that a display filter wants; `heard` gets how many there are so far.

    Raises TooCostly, ProgramFailed."""
    command = [
        tshark, *QUIET, "-r", str(path), "-Y", text, "-T", "fields", "-e", "frame.number", "-l",
    ]  # fmt: skip
    found: list[int] = []
    rest = b""
    for piece in run_bounded(command, scratch, bounds):
        *lines, rest = (rest + piece).split(b"\n")
        # A cut last frame ends the program with an error after all others were listed.
        found += [int(line) for line in lines if line.strip().isdigit()]
        heard(len(found))
    return found


def check_filter(tshark: str, text: str, scratch: Path, bounds: Bounds) -> FilterMistake | None:
    """What is wrong with a filter, found without a capture: an empty one is read."""
    empty = scratch / "empty.pcap"
    empty.write_bytes(bytes.fromhex("d4c3b2a1020004000000000000000000ffff000001000000"))
    try:
        matching_frames(tshark, empty, text, scratch, bounds, lambda _: None)
    except ProgramFailed as error:
        return _mistake(error.sentence, text)
    return None


def _mistake(said: str, text: str) -> FilterMistake:
    said = "\n".join(line for line in said.splitlines() if not line.startswith("Running as user"))
    sentence = (
        _NOISE.sub("", said.splitlines()[0] if said else "").strip() or "tshark does not understand it."
    )
    pointer = _POINTER.search(said)
    if pointer is None:
        return FilterMistake(sentence)
    lines = said[: pointer.start()].splitlines()
    shown = lines[-1] if lines else ""
    indent = len(shown) - len(shown.lstrip())
    at = max(0, min(len(pointer.group(1)) - indent, len(text)))
    return FilterMistake(sentence, at, max(1, min(len(pointer.group(2)), len(text) - at)))


def frame_numbers_of(tshark: str, scratch: Path, bounds: Bounds) -> frozenset[str]:
    """Fields whose value is the number of another frame."""
    found: set[str] = set()
    rest = b""
    for piece in run_bounded([tshark, "-G", "fields"], scratch, bounds):
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            parts = line.split(b"\t")
            if parts[0] == b"F" and len(parts) > 3 and parts[3] == b"FT_FRAMENUM":
                found.add(parts[2].decode())
    return frozenset(found)


def frame_pdml(
    tshark: str, path: Path, place: int, scratch: Path, bounds: Bounds, *, whole: bool
) -> Iterator[bytes]:
    """PDML of the frame at a place of a small file. `whole`: the file has its connection from the first packet on,
    so that what follows from earlier packets can be said."""
    command = [
        tshark,
        *QUIET,
        "-r",
        str(path),
        "-Y",
        f"frame.number == {place}",
        "-c",
        str(place),
        "-T",
        "pdml",
    ]
    if not whole:
        command += ["-o", "tcp.analyze_sequence_numbers:FALSE", "-o", "tcp.relative_sequence_numbers:FALSE"]
    return run_bounded(command, scratch, bounds)
