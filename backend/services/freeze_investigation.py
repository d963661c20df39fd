"""Keeps what a frozen link shows, as long as the link opens anything."""

from __future__ import annotations

from dataclasses import replace

from backend.errors import Conflict, Gone
from backend.services.read_progress import read_progress
from backend.services.write_notes import list_notes
from backend.storage import shares
from backend.storage.frozen_copies import FrozenCopy, copies_below, read_copy, remove_copy, write_copy
from backend.storage.records import DECODED, UPLOADING, Share
from backend.storage.store import Store

CHANGED = (
    "The investigation changed while it was being frozen. Make the link again when its analysis is finished."
)
NOT_FINISHED = (
    "Only a finished analysis can be frozen, and this one is {state}. "
    "Wait for it, or make a live link, which follows."
)


def freeze(store: Store, share: Share) -> None:
    """Keep the finished analysis for a link that was just made; raises Conflict where there is none to keep."""
    now = read_progress(store, share.investigation_id)
    if now.investigation.analysis != "finished":
        raise Conflict(NOT_FINISHED.format(state=now.investigation.analysis or "not begun"))
    files = tuple(file for file in now.files if file.status != UPLOADING)
    notes = tuple(list_notes(store, share.investigation_id)) if share.with_notes else ()
    folder = store.frozen_folder(share.investigation_id, share.id)
    # A link shows nobody how many links there are.
    copy = FrozenCopy(folder, replace(now.investigation, share_count=0), files, notes)
    texts = {
        file.sha256: store.blobs.path(file.sha256)
        for file in files
        if file.kind == "dump" and file.status == DECODED and file.sha256
    }
    try:
        write_copy(copy, store.investigation_folder(share.investigation_id), texts)
    except FileNotFoundError:
        remove_copy(folder)
        raise Conflict(CHANGED) from None
    except OSError:
        remove_copy(folder)
        raise
    later = read_progress(store, share.investigation_id)
    if (later.investigation.generation, later.files) != (now.investigation.generation, now.files):
        remove_copy(folder)
        raise Conflict(CHANGED)


def store_shown(store: Store, share: Share) -> Store:
    """What a link's answers are read from; raises Gone when a frozen link's copy is no longer there."""
    if share.shows != "frozen":
        return store
    copy = read_copy(store.frozen_folder(share.investigation_id, share.id))
    if copy is None:
        raise Gone("What this link showed is no longer kept.")
    return store.at(copy)


def delete_snapshot(store: Store, share: Share) -> None:
    """The link opens nothing any more, so nothing is kept for it."""
    if share.shows == "frozen":
        remove_copy(store.frozen_folder(share.investigation_id, share.id))


def clear_ended(store: Store) -> int:
    """Remove the copies whose links have ended, been closed or gone; how many there were."""
    # Listed before the links are read: what a link made in between keeps is not seen.
    kept = list(copies_below(store.settings.packets))
    with store.database.reading() as session:
        active = shares.active_frozen(session)
    ended = [folder for share_id, folder in kept if share_id not in active]
    for folder in ended:
        remove_copy(folder)
    return len(ended)
