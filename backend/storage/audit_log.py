"""The audit log: who did what, or was refused it. A row is written in the transaction of the act itself, so that an act
whose row cannot be written does not happen. It holds names and ids, never a secret, a payload or a key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Literal

import structlog
from sqlalchemy import Select, delete, select
from sqlalchemy.orm import Session

from backend.errors import DiskFull, Unavailable
from backend.storage.acting import Actor, ActorKind, current_actor
from backend.storage.database import Database
from backend.storage.records import now_text
from backend.storage.tables import AuditRow

log = structlog.get_logger()
SUBJECT_CHARACTERS = 200
ID_CHARACTERS = 32
REFUSALS_LOGGED_EVERY = timedelta(minutes=1)
"""The same refusal again is not written down: who is refused cannot fill the disk by asking."""
REFUSALS_AT_MOST = 60
"""Of one caller in that time: what is refused may name anything, and so be another one each time."""


class Act(StrEnum):
    """What was done."""

    SIGN_IN = "sign-in"
    SIGN_OUT = "sign-out"
    CHANGE_PASSWORD = "change-password"
    ADD_MEMBER = "add-member"
    CHANGE_MEMBER = "change-member"
    RESET_PASSWORD = "reset-password"
    REMOVE_MEMBER = "remove-member"
    CREATE_TOKEN = "create-token"
    REVOKE_TOKEN = "revoke-token"
    CREATE_INVESTIGATION = "create-investigation"
    RENAME_INVESTIGATION = "rename-investigation"
    DELETE_INVESTIGATION = "delete-investigation"
    START_ANALYSIS = "start-analysis"
    CANCEL_ANALYSIS = "cancel-analysis"
    UPLOAD_FILE = "upload-file"
    REPLACE_FILE = "replace-file"
    DELETE_FILE = "delete-file"
    READ_ORIGINAL = "read-original"
    EXPORT_PACKETS = "export-packets"
    SHARE = "share"
    REVOKE_LINK = "revoke-link"
    OPEN_LINK = "open-link"
    DELETE_NOTE = "delete-note"
    READ_AUDIT_LOG = "read-audit-log"


Result = Literal["done", "refused"]


@dataclass(frozen=True)
class AuditEvent:
    """An action that was done or refused."""

    id: int
    at: str
    act: Act
    result: Literal["done", "refused"]
    actor_kind: ActorKind
    actor_id: str
    actor_name: str
    """As it was then."""
    address: str
    """Of the client."""
    investigation_id: str
    """Empty for what belongs to none; the investigation may be gone."""
    subject: str
    """Name of the file, the member or the token, the label, or the id of the link or note."""


@dataclass(frozen=True)
class AuditFilter:
    """Which rows are wanted; empty wants all."""

    act: str = ""
    result: str = ""
    actor: str = ""
    """Name or id of who acted."""
    investigation_id: str = ""


def write_event(
    session: Session,
    act: Act,
    *,
    investigation_id: str = "",
    subject: str = "",
    result: Result = "done",
    actor: Actor | None = None,
) -> None:
    """Of who acts now, unless another is named."""
    actor = actor or current_actor()
    session.add(
        AuditRow(
            at=now_text(),
            act=act,
            result=result,
            actor_kind=actor.kind,
            actor_id=actor.id,
            actor_name=actor.name[:SUBJECT_CHARACTERS],
            address=actor.address[:SUBJECT_CHARACTERS],
            investigation_id=investigation_id,
            subject=subject[:SUBJECT_CHARACTERS],
        )
    )
    session.flush()


def record_refusal(
    database: Database, act: Act, *, investigation_id: str = "", subject: str = "", actor: Actor | None = None
) -> None:
    """In a transaction of its own. Who is refused stays refused, also where that cannot be written down."""
    actor = actor or current_actor()
    investigation_id = investigation_id[:ID_CHARACTERS]
    try:
        with database.reading() as session:
            if _was_just_refused(session, act, actor, investigation_id, subject[:SUBJECT_CHARACTERS]):
                return
            if _is_refused_often(session, actor):
                log.warning("too many refusals for the audit log", act=act, actor=actor.key)
                return
        with database.writing() as session:
            write_event(
                session,
                act,
                investigation_id=investigation_id,
                subject=subject,
                result="refused",
                actor=actor,
            )
    except (Unavailable, DiskFull) as error:
        log.warning("refusal not in the audit log", act=act, actor=actor.key, error=error.sentence)


def _was_just_refused(session: Session, act: Act, actor: Actor, investigation_id: str, subject: str) -> bool:
    query = _recent_refusals(actor).where(
        AuditRow.act == act,
        AuditRow.investigation_id == investigation_id,
        AuditRow.subject == subject,
    )
    return session.scalars(query.limit(1)).first() is not None


def _is_refused_often(session: Session, actor: Actor) -> bool:
    return len(session.scalars(_recent_refusals(actor).limit(REFUSALS_AT_MOST)).all()) == REFUSALS_AT_MOST


def _recent_refusals(actor: Actor) -> Select[int]:
    return select(AuditRow.id).where(
        AuditRow.at > _text(datetime.now(UTC) - REFUSALS_LOGGED_EVERY),
        AuditRow.result == "refused",
        AuditRow.actor_id == actor.id,
        AuditRow.address == actor.address,
    )


def list_events(
    session: Session, limit: int, before: int | None, wanted: AuditFilter
) -> Sequence[AuditEvent]:
    """The newest first; `before` is the id of the last one already seen."""
    query = select(AuditRow).order_by(AuditRow.id.desc()).limit(limit)
    if before is not None:
        query = query.where(AuditRow.id < before)
    for column, value in (
        (AuditRow.act, wanted.act),
        (AuditRow.result, wanted.result),
        (AuditRow.investigation_id, wanted.investigation_id),
    ):
        if value:
            query = query.where(column == value)
    if wanted.actor:
        query = query.where((AuditRow.actor_name == wanted.actor) | (AuditRow.actor_id == wanted.actor))
    return [_record(row) for row in session.scalars(query)]


def clear_events(session: Session, *, older_than: timedelta) -> None:
    """Remove what is kept long enough."""
    session.execute(delete(AuditRow).where(AuditRow.at < _text(datetime.now(UTC) - older_than)))


def _text(moment: datetime) -> str:
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


def _record(row: AuditRow) -> AuditEvent:
    values = {field.name: getattr(row, field.name) for field in fields(AuditEvent)}
    return AuditEvent(**values | {"act": Act(row.act)})
