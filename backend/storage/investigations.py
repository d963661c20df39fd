"""Rows of investigations and their analyses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import delete, func, select, tuple_, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from backend.errors import NotFound
from backend.storage.acting import current_actor
from backend.storage.records import MOST_SHOWN, STAGES, UPLOADING, Investigation, now_text
from backend.storage.tables import AnalysisRow, EvidenceFileRow, IdempotencyRow, InvestigationRow, ShareRow

COLUMNS = (
    "id",
    "label",
    "created",
    "demo",
    "analysis",
    "generation",
    "revision",
    "stage_number",
    "stage_name",
    "message",
    "findings_so_far",
    "found_so_far",
    "summary",
    "updated",
    "source",
    "owner_id",
    "token_id",
)

UNDER_WAY = ("queued", "running")
"""Findings that are kept in short while an analysis runs; more of them are counted only."""


class CameTwice(Exception):  # noqa: N818 (it says what happened)
    """Another request with the same key has just been answered."""


def add_investigation(
    session: Session,
    investigation_id: str,
    label: str,
    demo: str = "",
    *,
    source: str = "api",
) -> None:
    """A new, empty investigation of who acts now."""
    now, maker = now_text(), current_actor().maker
    session.add(
        InvestigationRow(
            id=investigation_id,
            label=label,
            created=now,
            updated=now,
            demo=demo,
            owner_id=maker.owner_id,
            token_id=maker.token_id,
            source=source,
        )
    )
    session.flush()


def get_investigation(session: Session, investigation_id: str) -> Investigation:
    """One investigation with its counts; raises NotFound."""
    row = _row(session, investigation_id)
    return _with_counts(session, [row])[0]


def known_ids(session: Session) -> set[str]:
    """Of all investigations."""
    return set(session.scalars(select(InvestigationRow.id)))


def list_investigations(
    session: Session, limit: int, before: tuple[str, str] | None = None
) -> list[Investigation]:
    """The newest first; `before` is (created, id) of the last one already seen."""
    query = select(InvestigationRow).order_by(InvestigationRow.created.desc(), InvestigationRow.id.desc())
    if before is not None:
        query = query.where(tuple_(InvestigationRow.created, InvestigationRow.id) < before)
    return _with_counts(session, list(session.scalars(query.limit(limit))))


def rename_investigation(session: Session, investigation_id: str, label: str) -> None:
    """Give it another label; the report keeps the one it was made with until the next analysis."""
    row = _row(session, investigation_id)
    row.label = label
    _touch(row)


def delete_investigation(session: Session, investigation_id: str) -> None:
    """Remove the row and, by cascade, all that hangs on it; raises NotFound."""
    _row(session, investigation_id)
    session.execute(delete(InvestigationRow).where(InvestigationRow.id == investigation_id))


def request_analysis(session: Session, investigation_id: str) -> int:
    """Mark the inputs as changed: the analysis is queued anew. Returns the new generation."""
    row = _row(session, investigation_id)
    row.generation += 1
    row.analysis = "queued"
    row.stage_number, row.stage_name, row.message, row.findings_so_far = 1, STAGES[0], "", 0
    row.found_so_far = None
    _touch(row)
    session.add(
        AnalysisRow(
            investigation_id=investigation_id, generation=row.generation, state="queued", requested=now_text()
        )
    )
    return row.generation


def inputs_changed(session: Session, investigation_id: str) -> int | None:
    """A file went: the new generation, None when there is none left to analyze."""
    query = select(EvidenceFileRow.id).where(
        EvidenceFileRow.investigation_id == investigation_id, EvidenceFileRow.status != UPLOADING
    )
    if session.scalars(query.limit(1)).first() is not None:
        return request_analysis(session, investigation_id)
    forget_analysis(session, investigation_id)
    return None


def restart_analysis(session: Session, investigation_id: str, generation: int) -> int | None:
    """Begin a generation anew whose job is lost; None when that generation is over, or another one took its place."""
    row = session.get(InvestigationRow, investigation_id)
    if row is None or row.generation != generation or row.analysis not in UNDER_WAY:
        return None
    _close_analysis(session, investigation_id, generation, "lost", "")
    return request_analysis(session, investigation_id)


def judging_starts(session: Session, investigation_id: str, generation: int) -> int | None:
    """How often workers have begun to judge it; None when it is no longer wanted."""
    if not is_current(session, investigation_id, generation):
        return None
    row = session.get(AnalysisRow, (investigation_id, generation))
    return row.starts if row is not None else 0


def count_judging(session: Session, investigation_id: str, generation: int, by: int) -> None:
    """One worker more has begun to judge it (1), or stops because it was asked to (-1)."""
    row = session.get(AnalysisRow, (investigation_id, generation))
    if row is not None:
        row.starts = max(0, row.starts + by)


def forget_analysis(session: Session, investigation_id: str) -> None:
    """There is no file left to say anything about."""
    row = _row(session, investigation_id)
    row.generation += 1
    row.analysis, row.summary, row.stage_number, row.stage_name = None, None, 0, ""
    row.message, row.findings_so_far, row.found_so_far = "", 0, None
    _touch(row)


def set_analysis(
    session: Session,
    investigation_id: str,
    generation: int,
    state: str,
    *,
    message: str = "",
    summary: dict[str, Any] | None = None,
) -> bool:
    """Write the state of that generation; False, and nothing changed, when it is not the current one."""
    row = session.get(InvestigationRow, investigation_id)
    if row is None or row.generation != generation or row.analysis == "cancelled":
        return False
    row.analysis, row.message = state, message
    if state not in UNDER_WAY:
        row.found_so_far = None  # the report says it, or nothing does
    if summary is not None:
        row.summary = summary
    _touch(row)
    _close_analysis(session, investigation_id, generation, state, message)
    return True


def set_stage(
    session: Session,
    investigation_id: str,
    generation: int,
    stage_number: int,
    *,
    message: str,
    findings: int,
    found: Sequence[dict[str, Any]] = (),
) -> None:
    """Move the investigation to a later stage; an earlier one is ignored, so progress never goes back. `found` joins
    what was found before: who is reading that finds it in its place."""
    row = session.get(InvestigationRow, investigation_id)
    if row is None or row.generation != generation or row.analysis not in UNDER_WAY:
        return
    if stage_number >= row.stage_number:
        row.stage_number, row.stage_name, row.message = stage_number, STAGES[stage_number - 1], message
    row.findings_so_far = max(row.findings_so_far, findings)
    if found:
        by_id = {each["id"]: each for each in (*(row.found_so_far or ()), *found)}
        row.found_so_far = list(by_id.values())[:MOST_SHOWN]
    _touch(row)


def set_message(session: Session, investigation_id: str, message: str) -> None:
    """Say what the work is waiting for."""
    row = session.get(InvestigationRow, investigation_id)
    if row is not None:
        row.message = message
        _touch(row)


def cancel_analysis(session: Session, investigation_id: str) -> int | None:
    """Call off what is queued or running; its generation, None when nothing was."""
    row = _row(session, investigation_id)
    if row.analysis not in UNDER_WAY:
        return None
    cancelled = row.generation
    _close_analysis(session, investigation_id, cancelled, "cancelled", "")
    row.analysis, row.message, row.found_so_far = "cancelled", "Cancelled.", None
    _touch(row)
    return cancelled


def is_current(session: Session, investigation_id: str, generation: int) -> bool:
    """Whether an analysis of that generation is still wanted."""
    row = session.get(InvestigationRow, investigation_id)
    return row is not None and row.generation == generation and row.analysis != "cancelled"


def touch_investigation(session: Session, investigation_id: str) -> None:
    """Let listeners know that something visible changed."""
    row = session.get(InvestigationRow, investigation_id)
    if row is not None:
        _touch(row)


def revisions(session: Session, investigation_ids: Iterable[str]) -> dict[str, int]:
    """The current revision of each; those that are gone are left out."""
    wanted = list(investigation_ids)
    query = select(InvestigationRow.id, InvestigationRow.revision).where(InvestigationRow.id.in_(wanted))
    return {row.id: row.revision for row in session.execute(query)} if wanted else {}


def find_idempotent(session: Session, key: str) -> tuple[str, str] | None:
    """(hash of the request, id of the investigation) that was created under this key."""
    row = session.get(IdempotencyRow, key)
    return (row.request_sha256, row.investigation_id) if row else None


def add_idempotent(session: Session, key: str, request_sha256: str, investigation_id: str) -> None:
    """Remember what a key created; raises CameTwice when the same request, sent at the same time, came first."""
    session.add(
        IdempotencyRow(
            key=key, request_sha256=request_sha256, investigation_id=investigation_id, created=now_text()
        )
    )
    try:
        session.flush()
    except IntegrityError:
        raise CameTwice from None


def unfinished_analyses(session: Session) -> list[tuple[str, int]]:
    """(investigation, generation) of each analysis that is queued or running."""
    query = select(InvestigationRow.id, InvestigationRow.generation).where(
        InvestigationRow.analysis.in_(UNDER_WAY)
    )
    return [(row.id, row.generation) for row in session.execute(query)]


def _row(session: Session, investigation_id: str) -> InvestigationRow:
    row = session.get(InvestigationRow, investigation_id)
    if row is None:
        raise NotFound("There is no such investigation; it may have been deleted.")
    return row


def _touch(row: InvestigationRow) -> None:
    row.revision += 1
    row.updated = now_text()


def _close_analysis(session: Session, investigation_id: str, generation: int, state: str, error: str) -> None:
    session.execute(
        update(AnalysisRow)
        .where(AnalysisRow.investigation_id == investigation_id, AnalysisRow.generation == generation)
        .values(
            state=state,
            finished=None if state in UNDER_WAY else now_text(),
            error=error if state == "failed" else None,
        )
    )


def _with_counts(session: Session, rows: Sequence[InvestigationRow]) -> list[Investigation]:
    wanted = [row.id for row in rows]
    counts = session.execute(
        select(
            EvidenceFileRow.investigation_id,
            func.count(),
            func.coalesce(func.sum(EvidenceFileRow.packets), 0),
        )
        .where(EvidenceFileRow.investigation_id.in_(wanted))
        .group_by(EvidenceFileRow.investigation_id)
    ).all()
    shares = session.execute(
        select(ShareRow.investigation_id, func.count())
        .where(
            ShareRow.investigation_id.in_(wanted), ShareRow.revoked.is_(None), ShareRow.expires > now_text()
        )
        .group_by(ShareRow.investigation_id)
    ).all()
    files = {row[0]: (int(row[1]), int(row[2])) for row in counts}
    share_counts = {row[0]: int(row[1]) for row in shares}
    return [
        Investigation(
            **{name: getattr(row, name) for name in COLUMNS},
            files_total=files.get(row.id, (0, 0))[0],
            packets_total=files.get(row.id, (0, 0))[1],
            share_count=share_counts.get(row.id, 0),
        )
        for row in rows
    ]
