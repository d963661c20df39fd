"""The child's part of Wireshark's view: some packets of some captures, dissected by tshark and read by pyshark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter

from backend.forensics.wireshark import DissectedPacket, WiresharkAnswer
from backend.limits import Limits
from backend.storage.looks import LookFolder, LookOutcome, LookProgress, LookRequest
from workers.decode.dumps.text import as_utf8
from workers.decode.frames.bounded import Bounds, ProgramFailed
from workers.decode.frames.key_log import LARGEST_BYTES, key_log_in, key_log_lines
from workers.decode.frames.tshark import find_tshark
from workers.decode.frames.wireshark import SelectedFrames, dissect_packets
from workers.decode.identify import identify_file
from workers.decode.open_source import open_source
from workers.decode.sources import ByteSource
from workers.jobs.clear_file import ClearFile
from workers.sandbox import Notify

_BLOCK_BYTES: Final = 1 << 20
VIEW_S: Final = 30
"""Processor seconds of one run of tshark."""
NO_TSHARK: Final = "Wireshark's view needs tshark on the worker, where it is not installed."
_ANSWER: Final = TypeAdapter(WiresharkAnswer)


def show_in_wireshark(
    request: LookRequest,
    folder: LookFolder,
    files: tuple[ClearFile, ...],
    limits: Limits,
    scratch: Path,
    notify: Notify,
) -> LookOutcome:
    """Writes the answer into the folder. Raises NotWalkable, UnreadableInput, TooCostly."""
    tshark = find_tshark()
    if tshark is None:
        return LookOutcome("failed", problem=NO_TSHARK)
    bounds = Bounds(VIEW_S, limits.look_memory_bytes, limits.look_answer_bytes)
    captures = {
        file.name: file for file, asked in zip(files, request.files, strict=True) if asked.kind == "capture"
    }
    uploaded = [file for file, asked in zip(files, request.files, strict=True) if asked.kind != "capture"]
    secrets = _without_repeats(line for file in uploaded for line in _uploaded_key_log(file, limits))
    packets: list[DissectedPacket] = []
    program, problem, given = "", "", len(secrets)
    for at, part in enumerate(request.parts):
        notify(LookProgress(at, len(request.parts), len(packets)))
        file = captures[part.input]
        keys = _without_repeats([*secrets, *key_log_in(file.plain(limits, scratch))])
        selected = SelectedFrames(part.input, file.cleared(limits, scratch), part.context, part.shown)
        try:
            printed = dissect_packets(tshark, selected, keys, scratch, bounds)
        except ProgramFailed as error:
            return LookOutcome("failed", problem=f"{part.input}: {error.sentence}")
        packets += printed.packets
        program, problem, given = printed.program, problem or printed.problem, max(given, len(keys))
    answer = WiresharkAnswer(program, tuple(packets), given, problem)
    unfinished = folder.wireshark.with_suffix(".part")
    unfinished.write_bytes(_ANSWER.dump_json(answer))
    unfinished.rename(folder.wireshark)
    return LookOutcome("done", packets=len(packets), bytes=folder.wireshark.stat().st_size)


def _uploaded_key_log(file: ClearFile, limits: Limits) -> list[bytes]:
    stored = file.bytes_kept()
    with open_source(stored, identify_file(stored).compression, limits) as source:
        return key_log_lines(b"".join(as_utf8(_blocks(source))))


def _blocks(source: ByteSource) -> Iterator[bytes]:
    buffer, read = bytearray(_BLOCK_BYTES), 0
    while read < LARGEST_BYTES and (count := source.read_into(memoryview(buffer))):
        read += count
        yield bytes(buffer[:count])


def _without_repeats(lines: Iterable[bytes]) -> list[bytes]:
    return list(dict.fromkeys(lines))
