"""Rows of comparisons."""

from __future__ import annotations

from dataclasses import asdict

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from backend.errors import NotFound
from backend.storage.records import StoredComparison
from backend.storage.tables import ComparisonRow, InvestigationRow


def add_comparison(session: Session, comparison: StoredComparison, content: str) -> None:
    """A new one; `content` is its JSON."""
    session.add(ComparisonRow(**asdict(comparison), content=content))
    session.flush()


def find_comparison(
    session: Session, investigation: tuple[str, int], base: tuple[str, int]
) -> StoredComparison | None:
    """The newest one of these two (id, generation), None when they were not compared yet."""
    query = (
        select(ComparisonRow)
        .where(
            ComparisonRow.investigation_id == investigation[0],
            ComparisonRow.generation == investigation[1],
            ComparisonRow.base_id == base[0],
            ComparisonRow.base_generation == base[1],
        )
        .order_by(ComparisonRow.created.desc(), ComparisonRow.id)
    )
    row = session.scalars(query).first()
    return _record(row) if row is not None else None


def set_by_owner(session: Session, comparison_id: str) -> None:
    """One who may change the candidate has asked for it, too."""
    session.execute(update(ComparisonRow).where(ComparisonRow.id == comparison_id).values(by_owner=True))


def list_comparisons(session: Session, investigation_id: str) -> list[StoredComparison]:
    """All of which it is the candidate, the newest first."""
    query = select(ComparisonRow).where(ComparisonRow.investigation_id == investigation_id)
    rows = session.scalars(query.order_by(ComparisonRow.created.desc(), ComparisonRow.id))
    return [_record(row) for row in rows]


def get_comparison(
    session: Session, investigation_id: str, comparison_id: str
) -> tuple[StoredComparison, str]:
    """(one comparison, its JSON); raises NotFound."""
    row = session.get(ComparisonRow, comparison_id)
    if row is None or row.investigation_id != investigation_id:
        raise NotFound("There is no such comparison.")
    return _record(row), row.content


def newest_finished(session: Session, label: str, *, other_than: str) -> str | None:
    """Id of the newest investigation with that label whose analysis has finished; a demonstration is nobody's run."""
    query = (
        select(InvestigationRow.id)
        .where(
            InvestigationRow.label == label,
            InvestigationRow.analysis == "finished",
            InvestigationRow.demo == "",
            InvestigationRow.id != other_than,
        )
        .order_by(InvestigationRow.created.desc(), InvestigationRow.id.desc())
    )
    return session.scalars(query).first()


def _record(row: ComparisonRow) -> StoredComparison:
    return StoredComparison(
        id=row.id,
        investigation_id=row.investigation_id,
        base_id=row.base_id,
        generation=row.generation,
        base_generation=row.base_generation,
        created=row.created,
        verdict=row.verdict,
        statement=row.statement,
        by_owner=row.by_owner,
    )
