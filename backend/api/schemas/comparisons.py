"""Comparisons as the API lists them; the content is `stallscope.comparison/1`."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from backend.services.compare_investigations import Compared


class ComparisonOptions(BaseModel):
    """What to compare with."""

    base: str = Field(max_length=220, description="Id of an investigation, or `latest:LABEL`")


class ComparisonSummary(BaseModel):
    """One comparison, without its content."""

    id: str
    investigation_id: str
    base_id: str
    created: str
    verdict: Literal["worse", "better", "mixed", "same", "cannot-tell"]
    statement: str
    up_to_date: bool
    """False once the files of either investigation have changed."""

    @classmethod
    def of(cls, compared: Compared) -> ComparisonSummary:
        """The stored record in the API's words."""
        stored = compared.stored
        return cls.model_validate(
            {
                "id": stored.id,
                "investigation_id": stored.investigation_id,
                "base_id": stored.base_id,
                "created": stored.created,
                "verdict": stored.verdict,
                "statement": stored.statement,
                "up_to_date": compared.up_to_date,
            }
        )


class ComparisonList(BaseModel):
    """All comparisons of an investigation."""

    items: list[ComparisonSummary]
