"""Runs of pipelines as the API lists them."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from backend.api.schemas.investigations import Analysis


class _FromRecord(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class Run(_FromRecord):
    """An investigation as a run, and its newest comparison that still holds."""

    id: str
    label: str
    created: str
    analysis: Analysis | None
    time_lost_s: float
    base_id: str | None
    """What it was compared with; null where it was not."""
    verdict: Literal["worse", "better", "mixed", "same", "cannot-tell"] | None
    statement: str


class RunGroup(_FromRecord):
    """A label and its newest runs."""

    label: str
    runs_total: int
    runs: list[Run]
    next_cursor: str | None
    """For the runs of this label behind these."""


class LabelList(_FromRecord):
    """A page of labels, the one with the newest run first."""

    items: list[RunGroup]
    next_cursor: str | None


class RunList(_FromRecord):
    """A page of the runs of one label."""

    items: list[Run]
    next_cursor: str | None
