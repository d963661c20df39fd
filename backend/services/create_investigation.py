"""Create, list, rename and delete investigations."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from hashlib import sha256
from uuid import uuid4

from backend.errors import Conflict, InvalidRequest
from backend.services.request_analysis import cancel_analysis
from backend.storage import evidence_files, investigations
from backend.storage.records import Investigation
from backend.storage.store import Store

LABEL_LIMIT = 200
UNTITLED = "Untitled investigation"


@dataclass(frozen=True)
class InvestigationPage:
    """A part of the list."""

    items: tuple[Investigation, ...]
    next_cursor: str | None


def create_investigation(
    store: Store, label: str, *, demo: str = "", key: str | None = None, owner_id: str | None = None
) -> Investigation:
    """A new, empty investigation; the same idempotency key gives the same one again."""
    label = _checked_label(label)
    request_hash = sha256(f"{label}\0{demo}".encode()).hexdigest()
    with store.database.writing() as session:
        earlier = investigations.find_idempotent(session, key) if key else None
        if earlier is not None and earlier[0] != request_hash:
            raise Conflict("This Idempotency-Key was used before, for another request.")
        if earlier is not None:
            return investigations.get_investigation(session, earlier[1])
        investigation_id = uuid4().hex[:16]
        investigations.add_investigation(session, investigation_id, label, demo, owner_id)
        if key:
            investigations.add_idempotent(session, key, request_hash, investigation_id)
        return investigations.get_investigation(session, investigation_id)


def list_investigations(store: Store, limit: int, cursor: str | None) -> InvestigationPage:
    """The newest first; `cursor` is the one a previous page gave."""
    before: tuple[str, str] | None = None
    if cursor is not None:
        created, _, investigation_id = cursor.partition("~")
        before = (created, investigation_id)
    with store.database.reading() as session:
        found = investigations.list_investigations(session, limit + 1, before)
    last = found[limit - 1] if len(found) > limit else None
    return InvestigationPage(tuple(found[:limit]), f"{last.created}~{last.id}" if last else None)


def rename_investigation(store: Store, investigation_id: str, label: str) -> Investigation:
    """Give it another label."""
    with store.database.writing() as session:
        investigations.rename_investigation(session, investigation_id, _checked_label(label))
        return investigations.get_investigation(session, investigation_id)


def delete_investigation(store: Store, investigation_id: str) -> None:
    """Remove it with its tables, its links, and the bytes that no other investigation has."""
    cancel_analysis(store, investigation_id)
    with store.database.writing() as session:
        files = evidence_files.list_files(session, investigation_id)
        investigations.delete_investigation(session, investigation_id)
    with store.database.reading() as session:
        unused = {f.sha256 for f in files if f.sha256 and not evidence_files.blob_in_use(session, f.sha256)}
    for digest in unused:
        store.blobs.delete(digest)
    for file in files:
        store.blobs.discard_incoming(file.id)
    shutil.rmtree(store.investigation_folder(investigation_id), ignore_errors=True)


def _checked_label(label: str) -> str:
    label = " ".join(label.split())
    if not label:
        return UNTITLED
    if len(label) > LABEL_LIMIT:
        raise InvalidRequest(f"A label has at most {LABEL_LIMIT} characters.")
    return label
