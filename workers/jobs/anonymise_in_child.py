"""The child's part of an anonymised download: a bundle of everything, or the frames that somebody chose."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from backend.limits import Limits
from backend.storage.looks import LookFile, LookFolder, LookOutcome, LookProgress, LookRequest
from workers.decode.anonymise.bundle import Original, write_bundle
from workers.decode.anonymise.capture import anonymise_capture
from workers.decode.anonymise.pseudonyms import Pseudonyms
from workers.decode.frame_places import NotWalkable
from workers.decode.frames.carve import CarvedFrom, carve_anonymised
from workers.jobs.clear_file import ClearFile
from workers.jobs.look_in_child import SCRATCH_PREFIX
from workers.sandbox import Notify, child_work


@child_work(news=LookProgress)
def anonymise_in_child(
    request: LookRequest,
    target: Path,
    files: tuple[ClearFile, ...],
    limits: Limits,
    key_hex: str,
    notify: Notify,
) -> LookOutcome:
    """Answers one request into its folder."""
    folder, key = LookFolder.at(target), bytes.fromhex(key_hex)
    scratch = Path(tempfile.mkdtemp(prefix=SCRATCH_PREFIX, dir=folder.path))
    try:
        if request.kind == "carving":
            return _carve(folder, files, limits, Pseudonyms(key), scratch, notify)
        return _bundle(request, folder, files, limits, Pseudonyms(key), scratch, notify)
    except NotWalkable as error:
        return LookOutcome("failed", problem=f"A capture cannot be anonymised: {error}.")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _bundle(
    request: LookRequest,
    folder: LookFolder,
    files: Sequence[ClearFile],
    limits: Limits,
    pseudonyms: Pseudonyms,
    scratch: Path,
    notify: Notify,
) -> LookOutcome:
    originals = [
        _original(file, asked, limits, scratch) for file, asked in zip(files, request.files, strict=True)
    ]
    made = write_bundle(
        originals,
        folder.bundle,
        pseudonyms,
        scratch,
        limits,
        lambda done: notify(LookProgress(done, request.packets, done)),
    )
    return LookOutcome("done", packets=made.frames, bytes=made.bytes)


def _original(file: ClearFile, asked: LookFile, limits: Limits, scratch: Path) -> Original:
    is_capture = asked.kind == "capture"
    return Original(
        kind="capture" if is_capture else "dump",
        plain=partial(file.plain, limits, scratch) if is_capture else file.bytes_kept,
        tables=file.tables,
        origin=asked.origin,
        captured_at_ns=asked.captured_at_ns,
    )


def _carve(
    folder: LookFolder,
    files: Sequence[ClearFile],
    limits: Limits,
    pseudonyms: Pseudonyms,
    scratch: Path,
    notify: Notify,
) -> LookOutcome:
    """Whole captures are anonymised, then the frames are taken out: streams show where messages begin."""
    sources = []
    for number, file in enumerate(files, 1):
        made = scratch / f"capture-{number}.pcapng"
        anonymise_capture(file.plain(limits, scratch), file.tables, made, pseudonyms, lambda _: None)
        sources.append(CarvedFrom(made.stem, made, folder.read_frames(file.name)))
    total = sum(len(source.frames) for source in sources)
    unfinished = folder.carved.with_suffix(".part")
    written = carve_anonymised(sources, unfinished, lambda done: notify(LookProgress(done, total, done)))
    if written < total:
        lost = total - written
        return LookOutcome(
            "failed", problem=f"{lost:,} of {total:,} frames are no longer in the stored files."
        )
    unfinished.rename(folder.carved)
    return LookOutcome("done", packets=written, bytes=folder.carved.stat().st_size)
