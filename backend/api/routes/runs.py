"""Runs of pipelines, by label."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from backend.api.dependencies import StoreDep
from backend.services import list_runs as service

router = APIRouter(tags=["runs"])

Cursor = Annotated[str | None, Query(max_length=300)]
Label = Annotated[str, Query(max_length=200, description="All runs of this label")]


@router.get("/runs")
def get_labels(
    store: StoreDep, limit: Annotated[int, Query(ge=1, le=100)] = 20, cursor: Cursor = None
) -> service.LabelList:
    """Labels, each with its newest runs and their comparison with the baselines."""
    return service.list_labels(store, limit, cursor)


@router.get("/runs/of-label")
def get_runs(
    store: StoreDep, label: Label, limit: Annotated[int, Query(ge=1, le=200)] = 100, cursor: Cursor = None
) -> service.RunList:
    """All runs of one label, the newest first."""
    return service.list_runs(store, label, limit, cursor)
