"""Removes what nobody will finish or name again: expired uploads, and what a crash left between bytes and rows."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import structlog

from backend.services.receive_upload import discard_upload, expires_at
from backend.storage import evidence_files, investigations
from backend.storage.store import Store
from backend.storage.unused_bytes import remove_unused

YOUNG_S: Final = 600.0
"""What was changed since then may be on its way from one place to the next."""

log = structlog.get_logger()


def clear_leftovers(store: Store, now_s: float | None = None) -> int:
    """How many things there were. Safe beside other workers, running uploads and analyses."""
    now_s = time.time() if now_s is None else now_s
    cleared = _expired_uploads(store, now_s) + _lost_bytes(store, now_s) + _lost_tables(store, now_s)
    if cleared:
        log.info("removed leftovers", number=cleared)
    return cleared


def _expired_uploads(store: Store, now_s: float) -> int:
    with store.database.reading() as session:
        running = evidence_files.list_uploading(session)
    expired = [file for file in running if _is_expired(store, file.id, expires_at(store, file), now_s)]
    for file in expired:
        discard_upload(store, file)
    known = {file.id for file in running}
    lost = [
        path for path in _old(store.settings.incoming, now_s) if path.is_file() and path.name not in known
    ]
    for path in lost:
        path.unlink(missing_ok=True)
    return len(expired) + len(lost)


def _lost_bytes(store: Store, now_s: float) -> int:
    # Listed before the rows are read: bytes that come in between are not seen.
    kept = list(_old_below(store.settings.blobs, store.settings.incoming, now_s))
    with store.database.reading() as session:
        used = evidence_files.digests(session)
    return remove_unused(store.database, store.blobs, [path.name for path in kept if path.name not in used])


def _lost_tables(store: Store, now_s: float) -> int:
    folders = list(_old(store.settings.packets, now_s))
    with store.database.reading() as session:
        known = investigations.known_ids(session)
    lost = [folder for folder in folders if folder.name not in known]
    for folder in lost:
        shutil.rmtree(folder, ignore_errors=True)
    return len(lost)


def _is_expired(store: Store, upload_id: str, expires_s: float | None, now_s: float) -> bool:
    if expires_s is not None:
        return expires_s <= now_s
    with store.database.reading() as session:
        # Its bytes are gone, by a crash or because there was no room for its row to be removed.
        return evidence_files.is_uploading(session, upload_id)


def _old_below(folder: Path, but: Path, now_s: float) -> Iterator[Path]:
    for part in _entries(folder):
        if part.is_dir() and part != but:
            yield from _old(part, now_s)


def _old(folder: Path, now_s: float) -> Iterator[Path]:
    for path in _entries(folder):
        try:
            changed = path.stat()
        except FileNotFoundError:
            continue
        # The time of the last change of the entry itself: a file that was moved here keeps its other time.
        if max(changed.st_mtime, changed.st_ctime) <= now_s - YOUNG_S:
            yield path


def _entries(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.is_dir() else []
