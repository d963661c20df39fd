"""The child's part of a look. Whatever leaves it was freed of credentials before."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from backend.errors import UnreadableInput
from backend.limits import Limits
from backend.storage.looks import LookFolder, LookOutcome, LookProgress, LookRequest
from workers.decode.frame_places import NotWalkable
from workers.decode.frames.bounded import Bounds, ProgramFailed
from workers.decode.frames.carve import CarvedFrom, carve
from workers.decode.frames.dissect import FrameRequest, dissect_frame
from workers.decode.frames.plain import plain_capture
from workers.decode.frames.tshark import check_filter, find_tshark, matching_frames
from workers.decode.scrubbing import scrub_capture
from workers.ingested import load_ingested
from workers.sandbox import Access, Notify, child_work

DISSECTION_S: Final = 20
SCRATCH_PREFIX: Final = "scratch-"
NO_TSHARK: Final = "Display filters of Wireshark need tshark on the worker, where it is not installed."
NOT_CLEARED: Final = (
    "It holds credentials in clear text that cannot be overwritten in this form, so no frame is shown."
)


@dataclass(frozen=True)
class ClearFile:
    """A stored capture and the folder of its tables, where the plain and the cleared copy are kept."""

    name: str
    stored: Path
    tables: Path
    holds_credentials: bool

    def bytes_kept(self) -> Path:
        """The stored file as it is; raises UnreadableInput when it is gone."""
        if not self.stored.is_file():
            raise UnreadableInput(f"The bytes of {self.name} are no longer stored.")
        return self.stored

    def plain(self, limits: Limits, scratch: Path) -> Path:
        """The capture as a plain pcap or pcapng. An unpacked copy is made once, but for what holds credentials: of
        that none stays."""
        stored = self.bytes_kept()
        kept = (scratch if self.holds_credentials else self.tables) / "plain.capture"
        return kept if kept.is_file() else plain_capture(stored, kept, limits)

    def cleared(self, limits: Limits, scratch: Path) -> Path:
        """The plain capture with credentials overwritten; the copy is made once."""
        if not self.holds_credentials:
            return self.plain(limits, scratch)
        kept = self.tables / "cleared.capture"
        if kept.is_file():
            return kept
        capture = load_ingested(self.tables).capture
        if capture is None:
            raise UnreadableInput(f"{self.name} is no capture.")
        plain = self.plain(limits, scratch)
        unfinished = scratch / "cleared.part"
        try:
            scrub_capture(plain, capture, self.tables / "packets.parquet", unfinished)
        except NotWalkable:
            unfinished.unlink(missing_ok=True)
            raise UnreadableInput(f"{self.name}: {NOT_CLEARED}") from None
        unfinished.rename(kept)
        return kept


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
