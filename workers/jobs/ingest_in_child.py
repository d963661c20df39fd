"""The child's part of one file: decode or parse it, or unpack a bundle."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from backend.disk_space import room_at
from backend.errors import UnreadableInput
from backend.forensics.dumps import Dump
from backend.limits import Limits
from backend.storage.records import FileOutcome, FileProgress
from workers.decode.left_out import is_bundle
from workers.decode.printed.opening import holds_printed_packets
from workers.decode.reading import DecodeProgress
from workers.decode.scrub_text import scrub_text
from workers.decode.scrubbing import NotWalkable, scrub_capture
from workers.decode.warm import ensure_compiled
from workers.ingested import Ingested
from workers.jobs.open_in_child import OpenedBundle, open_bundle_here
from workers.pipeline import ingest_file
from workers.sandbox import Notify, child_work

DECODE = 3
SCRUBBED_CAPTURE = "scrubbed.capture"
NOTIFY_EVERY_S = 0.25
LINES_KEPT = 200
"""Numbers of lines nobody understood that are kept to be shown; all are counted."""


def prepare() -> None:
    """Imports everything that a first upload would else have to wait for, and compiles the packet loop if it must."""
    ensure_compiled()


@child_work(news=FileProgress)
def ingest_in_child(
    is_member: bool,
    path: Path,
    name: str,
    folder: Path,
    sha256: str,
    host: str | None,
    captured_at_ns: int | None,
    limits: Limits,
    scrub: bool,
    notify: Notify,
) -> FileOutcome | OpenedBundle:
    """The child's part: decode or unpack, and say now and then how far it is."""
    if is_bundle(path) or (not is_member and holds_printed_packets(path, limits)):
        return open_bundle_here(path, name, folder, limits)
    started = notified_s = time.monotonic()

    def progress(reached: DecodeProgress) -> None:
        nonlocal notified_s
        _require_room(folder, limits)
        now = time.monotonic()
        if now - notified_s >= NOTIFY_EVERY_S:
            notified_s = now
            rate = reached.packets / (now - started)
            notify(FileProgress(DECODE, reached.packets, reached.bytes_done, rate))

    ingested = ingest_file(
        path,
        name=name,
        folder=folder,
        sha256=sha256,
        host=host,
        captured_at_ns=captured_at_ns,
        keep_packets=True,
        progress=progress,
        cancelled=None,
        limits=limits,
    )
    if scrub and ingested.part.holds_credentials:
        scrub_here(path, ingested, folder)
    return _outcome(ingested)


def _require_room(folder: Path, limits: Limits) -> None:
    lack = room_at(folder, limits.disk_reserve_bytes).lack_for_work()
    if lack:
        raise UnreadableInput(f"{lack} Its tables were not written. Free space, then re-run the analysis.")


def _outcome(ingested: Ingested) -> FileOutcome:
    shown = ingested.part
    return FileOutcome(
        kind=shown.kind,
        format=shown.format,
        packets=shown.packets,
        lines=shown.lines,
        lines_not_understood=shown.lines_not_understood,
        not_understood_at=_strange_lines(ingested.dumps),
        warnings=tuple(shown.warnings),
        error=shown.error,
        holds_credentials=shown.holds_credentials,
    )


def _strange_lines(dumps: Sequence[Dump]) -> tuple[int, ...]:
    return tuple(sorted({n for dump in dumps for n in dump.lines_not_understood})[:LINES_KEPT])


def scrub_here(path: Path, ingested: Ingested, folder: Path) -> None:
    """Writes the scrubbed file beside its tables; nothing where it cannot be scrubbed."""
    if ingested.capture is None:
        scrub_text(path, folder / SCRUBBED_CAPTURE)
        return
    try:
        scrub_capture(path, ingested.capture, folder / "packets.parquet", folder / SCRUBBED_CAPTURE)
    except NotWalkable:
        (folder / SCRUBBED_CAPTURE).unlink(missing_ok=True)
