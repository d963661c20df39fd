"""Runs of pipelines: investigations by label, each with its owner's newest comparison that still holds."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import cast

from sqlalchemy import Select, func, select, tuple_
from sqlalchemy.orm import Session, aliased

from backend.forensics.comparison.result import Outcome
from backend.storage.records import AnalysisState, Run
from backend.storage.tables import ComparisonRow, InvestigationRow

_IS_RUN = InvestigationRow.demo == ""
"""A demonstration is nobody's run."""


@dataclass(frozen=True)
class LabelCount:
    """A label and how many runs have it."""

    label: str
    newest: str
    """When its newest run was created."""
    runs: int


def list_labels(
    session: Session, limit: int, before: tuple[str, str] | None, *, no_label: str
) -> list[LabelCount]:
    """The label with the newest run first; `before` is (newest, label) of the last one already seen."""
    newest = func.max(InvestigationRow.created)
    query = (
        select(InvestigationRow.label, newest, func.count())
        .where(_IS_RUN, InvestigationRow.label != no_label)
        .group_by(InvestigationRow.label)
        .order_by(newest.desc(), InvestigationRow.label.desc())
    )
    if before is not None:
        query = query.having(tuple_(newest, InvestigationRow.label) < before)
    return [LabelCount(*row) for row in session.execute(query.limit(limit))]


def newest_runs(session: Session, labels: Collection[str], each: int) -> list[Run]:
    """At most so many of each label, the newest first."""
    rank = (
        func.row_number()
        .over(
            partition_by=InvestigationRow.label,
            order_by=(InvestigationRow.created.desc(), InvestigationRow.id.desc()),
        )
        .label("rank")
    )
    ranked = select(InvestigationRow.id, rank).where(_IS_RUN, InvestigationRow.label.in_(labels)).subquery()
    query = select(InvestigationRow).join(ranked, InvestigationRow.id == ranked.c.id)
    return _with_comparisons(session, session.scalars(_ordered(query.where(ranked.c.rank <= each))).all())


def list_runs(session: Session, label: str, limit: int, before: tuple[str, str] | None) -> list[Run]:
    """Of one label, the newest first; `before` is (created, id) of the last one already seen."""
    query = select(InvestigationRow).where(_IS_RUN, InvestigationRow.label == label)
    if before is not None:
        query = query.where(tuple_(InvestigationRow.created, InvestigationRow.id) < before)
    return _with_comparisons(session, session.scalars(_ordered(query).limit(limit)).all())


def _ordered(query: Select[InvestigationRow]) -> Select[InvestigationRow]:
    return query.order_by(InvestigationRow.created.desc(), InvestigationRow.id.desc())


def _with_comparisons(session: Session, rows: Sequence[InvestigationRow]) -> list[Run]:
    """One query for all of them."""
    base = aliased(InvestigationRow)
    query = (
        select(ComparisonRow)
        .join(InvestigationRow, InvestigationRow.id == ComparisonRow.investigation_id)
        .join(base, base.id == ComparisonRow.base_id)
        .where(
            ComparisonRow.investigation_id.in_([row.id for row in rows]),
            ComparisonRow.by_owner,
            ComparisonRow.generation == InvestigationRow.generation,
            ComparisonRow.base_generation == base.generation,
        )
        .order_by(ComparisonRow.created, ComparisonRow.id.desc())
    )
    newest = {row.investigation_id: row for row in session.scalars(query)}  # the last of each wins
    return [_run(row, newest.get(row.id)) for row in rows]


def _run(row: InvestigationRow, comparison: ComparisonRow | None) -> Run:
    return Run(
        id=row.id,
        label=row.label,
        created=row.created,
        analysis=cast("AnalysisState | None", row.analysis),
        time_lost_s=float((row.summary or {}).get("time_lost_s", 0.0)),
        base_id=comparison.base_id if comparison is not None else None,
        verdict=cast("Outcome", comparison.verdict) if comparison is not None else None,
        statement=comparison.statement if comparison is not None else "",
    )
