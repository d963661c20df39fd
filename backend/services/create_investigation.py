"""Create, list, rename and delete investigations."""

from __future__ import annotations

import shutil
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from uuid import uuid4

from backend.errors import DiskFull, InvalidRequest, KeyUsedBefore
from backend.services.request_analysis import cancel_analysis
from backend.services.visible_names import visible_name
from backend.storage import evidence_files, investigations
from backend.storage.acting import current_actor
from backend.storage.audit_log import Act, write_event
from backend.storage.records import EvidenceFile, Investigation
from backend.storage.store import Store
from backend.storage.unused_bytes import remove_unused

LABEL_LIMIT = 200
UNTITLED = "Untitled investigation"
READ_AT_ONCE = 201
"""Rows: one more than the longest page."""


@dataclass(frozen=True)
class InvestigationFilter:
    """Which investigations are wanted; None wants all."""

    text: str | None = None
    """In the label, the verdict's title or its statement; capitals do not matter."""
    label: str | None = None
    kind: str | None = None
    """A detector that found something."""
    host: str | None = None

    def fits(self, one: Investigation) -> bool:
        """Whether it is one of them."""
        summary = one.summary or {}
        verdict = summary.get("verdict") or {}
        text = f"{one.label} {verdict.get('title', '')} {verdict.get('statement', '')}".casefold()
        return (
            (self.text is None or self.text.casefold() in text)
            and self.label in (None, one.label)
            and (self.kind is None or self.kind in summary.get("kinds", ()))
            and (self.host is None or self.host in summary.get("hosts", ()))
        )


@dataclass(frozen=True)
class InvestigationPage:
    """A part of the list."""

    items: tuple[Investigation, ...]
    next_cursor: str | None


@dataclass(frozen=True)
class Repeatable:
    """What makes a request the same as an earlier one of the same caller."""

    route: str
    key: str
    """The Idempotency-Key that was sent."""
    body_sha256: str

    @property
    def scope(self) -> str:
        """One text for each caller, route and key: the same key of another caller is another one."""
        return sha256("\0".join((current_actor().key, self.route, self.key)).encode()).hexdigest()


def create_investigation(
    store: Store, label: str, *, demo: str = "", repeatable: Repeatable | None = None, source: str = "api"
) -> Investigation:
    """A new, empty investigation; a repeated request gives the same one again."""
    label = _checked_label(label)
    try:
        return _create(store, label, demo, repeatable, source)
    except investigations.CameTwice:
        return _create(store, label, demo, repeatable, source)


def _create(store: Store, label: str, demo: str, repeatable: Repeatable | None, source: str) -> Investigation:
    with store.database.writing() as session:
        earlier = investigations.find_idempotent(session, repeatable.scope) if repeatable else None
        if earlier is not None and repeatable is not None:
            if earlier[0] != repeatable.body_sha256:
                raise KeyUsedBefore("This Idempotency-Key was used before, with another body.")
            return investigations.get_investigation(session, earlier[1])
        investigation_id = uuid4().hex[:16]
        investigations.add_investigation(session, investigation_id, label, demo, source=source)
        write_event(session, Act.CREATE_INVESTIGATION, investigation_id=investigation_id, subject=label)
        if repeatable is not None:
            scope, body = repeatable.scope, repeatable.body_sha256
            investigations.add_idempotent(session, scope, body, investigation_id)
        return investigations.get_investigation(session, investigation_id)


def list_investigations(
    store: Store, limit: int, cursor: str | None, wanted: InvestigationFilter | None = None
) -> InvestigationPage:
    """The newest first; `cursor` is the one a previous page gave."""
    before: tuple[str, str] | None = None
    if cursor is not None:
        created, _, investigation_id = cursor.partition("~")
        before = (created, investigation_id)
    found: list[Investigation] = []
    with store.database.reading() as session:
        while len(found) <= limit:
            part = investigations.list_investigations(session, READ_AT_ONCE, before)
            found += [each for each in part if wanted is None or wanted.fits(each)]
            if len(part) < READ_AT_ONCE:
                break
            before = (part[-1].created, part[-1].id)
    last = found[limit - 1] if len(found) > limit else None
    return InvestigationPage(tuple(found[:limit]), f"{last.created}~{last.id}" if last else None)


def rename_investigation(store: Store, investigation_id: str, label: str) -> Investigation:
    """Rename it."""
    with store.database.writing() as session:
        before = investigations.get_investigation(session, investigation_id).label
        investigations.rename_investigation(session, investigation_id, _checked_label(label))
        write_event(session, Act.RENAME_INVESTIGATION, investigation_id=investigation_id, subject=before)
        return investigations.get_investigation(session, investigation_id)


def delete_investigation(store: Store, investigation_id: str) -> None:
    """Remove it with its tables, its links, and the bytes that no other investigation has."""
    with suppress(DiskFull):  # without its rows an analysis gives up by itself
        cancel_analysis(store, investigation_id)
    try:
        files = _delete_rows(store, investigation_id)
    except DiskFull:
        # What was computed goes first, so that the rows find the room that deleting them needs.
        shutil.rmtree(store.investigation_folder(investigation_id), ignore_errors=True)
        files = _delete_rows(store, investigation_id)
    for file in files:
        store.blobs.discard_incoming(file.id)
    remove_unused(store.database, store.blobs, [file.sha256 for file in files])
    shutil.rmtree(store.investigation_folder(investigation_id), ignore_errors=True)


def _delete_rows(store: Store, investigation_id: str) -> list[EvidenceFile]:
    with store.database.writing() as session:
        files = evidence_files.list_files(session, investigation_id)
        label = investigations.get_investigation(session, investigation_id).label
        investigations.delete_investigation(session, investigation_id)
        write_event(session, Act.DELETE_INVESTIGATION, investigation_id=investigation_id, subject=label)
    return files


def _checked_label(label: str) -> str:
    label = " ".join(visible_name(" ".join(label.split())).split())
    if not label:
        return UNTITLED
    if len(label) > LABEL_LIMIT:
        raise InvalidRequest(f"A label has at most {LABEL_LIMIT} characters.")
    return label
