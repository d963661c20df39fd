"""Comparisons: an investigation against another one."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Request, Response, status

from backend.access.ownership import may_change
from backend.api.dependencies import ID_PATTERN, CallerDep, InvestigationId, StoreDep
from backend.api.description import REPORT_FORMS
from backend.api.schemas.comparisons import ComparisonList, ComparisonOptions, ComparisonSummary
from backend.forensics.comparison.result import Comparison
from backend.services import compare_investigations as service
from backend.services.request_analysis import read_investigation
from backend.storage.makers import Made

router = APIRouter(prefix="/investigations/{investigation_id}/comparisons", tags=["comparisons"])

ComparisonId = Annotated[str, Path(description="Id of the comparison", pattern=ID_PATTERN)]


@router.post("", status_code=status.HTTP_201_CREATED)
def create_comparison(
    investigation_id: InvestigationId,
    options: ComparisonOptions,
    store: StoreDep,
    caller: CallerDep,
    request: Request,
    response: Response,
) -> ComparisonSummary:
    """Compare this investigation (the candidate) with a base; the same two investigations are compared once."""
    owner = read_investigation(store, investigation_id).maker
    made = service.compare_investigations(
        store,
        investigation_id,
        options.base,
        tool_version=request.app.version,
        by_owner=may_change(caller, Made(owner)),
    )
    response.headers["Location"] = f"/api/v1/investigations/{investigation_id}/comparisons/{made.stored.id}"
    return ComparisonSummary.of(made)


@router.get("")
def list_comparisons(investigation_id: InvestigationId, store: StoreDep) -> ComparisonList:
    """All comparisons of which this investigation is the candidate, the newest first."""
    found = service.list_comparisons(store, investigation_id)
    return ComparisonList(items=[ComparisonSummary.of(each) for each in found])


@router.get("/{comparison_id}", response_model=Comparison, responses=REPORT_FORMS)
def get_comparison(
    investigation_id: InvestigationId,
    comparison_id: ComparisonId,
    store: StoreDep,
    format: Literal["json", "junit", "sarif", "markdown"] = "json",
) -> Response:
    """One comparison: `stallscope.comparison/1`, or the same as JUnit XML, SARIF 2.1.0 or Markdown."""
    comparison = service.read_comparison(store, investigation_id, comparison_id)
    text, media_type = service.render(comparison, format)
    return Response(text, media_type=media_type)
