"""Reads the audit log, writes it out and clears it; and lets bytes go that it has to report."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, fields
from datetime import timedelta
from typing import Final, Literal

from backend.errors import Conflict, Gone, InvalidRequest, Refused
from backend.services.export_packets import guarded
from backend.storage import audit_log, evidence_files
from backend.storage.acting import Maker
from backend.storage.audit_log import Act, AuditEvent, AuditFilter, write_event
from backend.storage.makers import investigation_maker
from backend.storage.records import UPLOADING, EvidenceFile
from backend.storage.store import Store

_AT_ONCE: Final = 1000
_COLUMNS: Final = tuple(field.name for field in fields(AuditEvent))


@dataclass(frozen=True)
class AuditPage:
    """A page of the log, the newest first."""

    items: tuple[AuditEvent, ...]
    next_cursor: str | None


def list_audit_log(store: Store, limit: int, cursor: str | None, wanted: AuditFilter) -> AuditPage:
    """The newest first; `cursor` is the one a previous page gave."""
    if cursor is not None and not (cursor.isascii() and cursor.isdigit() and len(cursor) < 19):
        raise InvalidRequest("Invalid cursor.")
    with store.database.reading() as session:
        before = None if cursor is None else int(cursor)
        found = audit_log.list_events(session, limit + 1, before, wanted)
    shown = tuple(found[:limit])
    return AuditPage(shown, str(shown[-1].id) if len(found) > limit else None)


def download_audit_log(store: Store, wanted: AuditFilter, form: Literal["csv", "jsonl"]) -> Iterator[str]:
    """Pieces of the text, the newest first; that it was read is written down before."""
    with store.database.writing() as session:
        write_event(session, Act.READ_AUDIT_LOG)
    return _csv(_events(store, wanted)) if form == "csv" else _json_lines(_events(store, wanted))


def clear_audit_log(store: Store) -> None:
    """Forget what is older than the settings say."""
    with store.database.writing() as session:
        audit_log.clear_events(session, older_than=timedelta(days=store.settings.audit_days))


def note_export(store: Store, investigation_id: str, name: str) -> None:
    """Packets are about to leave; without this row they do not."""
    with store.database.writing() as session:
        write_event(session, Act.EXPORT_PACKETS, investigation_id=investigation_id, subject=name)


def hand_out_original(
    store: Store,
    investigation_id: str,
    file_id: str,
    *,
    accepted: bool,
    may_download: Callable[[Maker, EvidenceFile], bool],
) -> EvidenceFile:
    """The file whose bytes may leave now, which is written down; raises NotFound, Refused, Gone or Conflict."""
    with store.database.writing() as session:
        maker = investigation_maker(session, investigation_id)
        file = evidence_files.get_file(session, investigation_id, file_id)
        members = evidence_files.list_members(session, file.id)
        if not may_download(maker, file):
            raise Refused("Only the owner of this file or an admin may download it.")
        if file.status == UPLOADING:
            raise Conflict("The file is still being uploaded.")
        if not file.sha256:
            raise Gone("Its bytes were removed: they held credentials that could not be overwritten.")
        if not accepted and any(each.holds_credentials for each in (file, *members)):
            raise Conflict(
                "This file holds credentials in clear text: who has it can use them until they expire. "
                "Download it with ?credentials=accept, and keep it like a password."
            )
        write_event(session, Act.READ_ORIGINAL, investigation_id=investigation_id, subject=file.name)
    return file


def _events(store: Store, wanted: AuditFilter) -> Iterator[AuditEvent]:
    cursor: str | None = None
    while True:
        page = list_audit_log(store, _AT_ONCE, cursor, wanted)
        yield from page.items
        cursor = page.next_cursor
        if cursor is None:
            return


def _csv(events: Iterator[AuditEvent]) -> Iterator[str]:
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(_COLUMNS)
    for event in events:
        writer.writerow([guarded(value) for value in asdict(event).values()])
        if buffer.tell() > 1 << 16:
            yield buffer.getvalue()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue()


def _json_lines(events: Iterator[AuditEvent]) -> Iterator[str]:
    for event in events:
        yield json.dumps(asdict(event)) + "\n"
