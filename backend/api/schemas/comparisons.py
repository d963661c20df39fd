"""Comparisons as the API lists them; the content is `stallscope.comparison/1`."""

from __future__ import annotations

from typing import Any

from pydantic import AliasPath, BaseModel, Field

from backend.api.schemas.from_record import FromRecord
from backend.forensics.comparison.result import Outcome


class ComparisonOptions(BaseModel):
    """What to compare with."""

    base: str = Field(max_length=220, description="Id of an investigation, or `latest:LABEL`")


def _stored(name: str) -> Any:
    return Field(validation_alias=AliasPath("stored", name))


class ComparisonSummary(FromRecord):
    """One comparison, without its content."""

    id: str = _stored("id")
    investigation_id: str = _stored("investigation_id")
    base_id: str = _stored("base_id")
    created: str = _stored("created")
    verdict: Outcome = _stored("verdict")
    statement: str = _stored("statement")
    up_to_date: bool
    """False once the files of either investigation have changed."""


class ComparisonList(BaseModel):
    """All comparisons of an investigation."""

    items: list[ComparisonSummary]
