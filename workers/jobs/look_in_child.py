"""The child's part of a look. Whatever leaves it was freed of credentials before."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from backend.limits import Limits
from backend.storage.looks import LookFolder, LookOutcome, LookProgress, LookRequest
from workers.decode.frame_places import NotWalkable
from workers.decode.frames.bounded import Bounds, ProgramFailed
from workers.decode.frames.carve import CarvedFrom, carve
from workers.decode.frames.dissect import FrameRequest, dissect_frame
from workers.decode.frames.tshark import check_filter, find_tshark, matching_frames
from workers.jobs.clear_file import ClearFile
from workers.jobs.show_in_wireshark import show_in_wireshark
from workers.sandbox import Access, Notify, child_work

DISSECTION_S: Final = 20
SCRATCH_PREFIX: Final = "scratch-"
NO_TSHARK: Final = "Display filters of Wireshark need tshark on the worker, where it is not installed."


def access_of(folder: Path, files: Sequence[ClearFile], *, may_start_programs: bool) -> Access:
    """The stored files are read; copies for later looks are kept beside their tables."""
    return Access(
        read=tuple(file.stored for file in files),
        write=(folder, *(file.tables for file in files)),
        may_start_programs=may_start_programs,
    )


@child_work(news=LookProgress)
def look_in_child(
    request: LookRequest, target: Path, files: tuple[ClearFile, ...], limits: Limits, notify: Notify
) -> LookOutcome:
    """Answers one request into its folder."""
    folder = LookFolder.at(target)
    scratch = Path(tempfile.mkdtemp(prefix=SCRATCH_PREFIX, dir=folder.path))
    bounds = Bounds(limits.look_cpu_s, limits.look_memory_bytes, limits.look_answer_bytes)
    try:
        if request.kind == "dissection":
            return _dissect(request, folder, files[0], limits, scratch)
        if request.kind == "display-filter":
            return _filter(request, folder, files, limits, bounds, scratch, notify)
        if request.kind == "wireshark":
            return show_in_wireshark(request, folder, files, limits, scratch, notify)
        return _carve(folder, files, limits, scratch, notify)
    except NotWalkable as error:
        return LookOutcome("failed", problem=f"The frames cannot be found in the file: {error}.")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _dissect(
    request: LookRequest, folder: LookFolder, file: ClearFile, limits: Limits, scratch: Path
) -> LookOutcome:
    bounds = Bounds(DISSECTION_S, limits.look_memory_bytes, limits.look_answer_bytes)
    asked = FrameRequest(request.frame, request.before, request.whole)
    try:
        found = dissect_frame(
            file.cleared(limits, scratch), file.plain(limits, scratch), asked, scratch, bounds
        )
    except ProgramFailed as error:
        return LookOutcome("failed", problem=f"The frame could not be taken apart: {error.sentence}")
    unfinished = folder.dissection.with_suffix(".part")
    unfinished.write_text(json.dumps({"input": file.name, **found}), encoding="utf-8")
    unfinished.rename(folder.dissection)
    return LookOutcome("done", packets=1, bytes=folder.dissection.stat().st_size)


def _filter(
    request: LookRequest,
    folder: LookFolder,
    files: tuple[ClearFile, ...],
    limits: Limits,
    bounds: Bounds,
    scratch: Path,
    notify: Notify,
) -> LookOutcome:
    tshark = find_tshark()
    if tshark is None:
        return LookOutcome("failed", problem=NO_TSHARK)
    mistake = check_filter(tshark, request.filter, scratch, bounds)
    if mistake is not None:
        return LookOutcome("failed", problem=mistake.sentence, at=mistake.at, length=mistake.length)
    found: list[tuple[str, list[int]]] = []
    for number, file in enumerate(files):
        before = sum(len(frames) for _, frames in found)

        def heard(count: int, number: int = number, before: int = before) -> None:
            notify(LookProgress(number, len(files), before + count))

        heard(0)
        try:
            frames = matching_frames(
                tshark, file.cleared(limits, scratch), request.filter, scratch, bounds, heard
            )
        except ProgramFailed as error:
            return LookOutcome("failed", problem=f"{file.name}: {error.sentence}")
        found.append((file.name, frames))
    folder.write_frames(found)
    return LookOutcome("done", packets=sum(len(frames) for _, frames in found))


def _carve(
    folder: LookFolder, files: tuple[ClearFile, ...], limits: Limits, scratch: Path, notify: Notify
) -> LookOutcome:
    sources = [
        CarvedFrom(file.name, file.cleared(limits, scratch), folder.read_frames(file.name)) for file in files
    ]
    total = sum(len(source.frames) for source in sources)
    unfinished = folder.carved.with_suffix(".part")
    written = carve(sources, unfinished, lambda done: notify(LookProgress(done, total, done)))
    if written < total:
        lost = total - written
        return LookOutcome(
            "failed", problem=f"{lost:,} of {total:,} frames are no longer in the stored files."
        )
    unfinished.rename(folder.carved)
    return LookOutcome("done", packets=written, bytes=folder.carved.stat().st_size)
