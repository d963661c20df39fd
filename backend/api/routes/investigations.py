"""Investigations: create, list, read, rename, delete; start and cancel their analysis; demonstrations."""

from __future__ import annotations

from hashlib import sha256
from typing import Annotated

from fastapi import APIRouter, Query, Response, status
from pydantic import BaseModel

from backend.api.dependencies import CallerDep, IdempotencyKey, InvestigationId, StoreDep
from backend.api.schemas.investigations import (
    Demo,
    DemoChoice,
    DemoList,
    Investigation,
    InvestigationList,
    NewInvestigation,
    Renaming,
)
from backend.services import create_investigation as service
from backend.services.load_demo import list_demos, load_demo
from backend.services.request_analysis import cancel_analysis, read_investigation, start_analysis

router = APIRouter(tags=["investigations"])


def address(investigation_id: str) -> str:
    """Where an investigation is read."""
    return f"/api/v1/investigations/{investigation_id}"


def _repeatable(route: str, key: str | None, body: BaseModel) -> service.Repeatable | None:
    """The request as one that may come again, where a key says so."""
    if not key:
        return None
    return service.Repeatable(route, key, sha256(body.model_dump_json().encode()).hexdigest())


@router.post("/investigations", status_code=status.HTTP_201_CREATED)
def create_investigation(
    options: NewInvestigation,
    store: StoreDep,
    caller: CallerDep,
    response: Response,
    idempotency_key: IdempotencyKey = None,
) -> Investigation:
    """A new, empty investigation."""
    repeatable = _repeatable("investigations", idempotency_key, options)
    created = service.create_investigation(store, options.label, repeatable=repeatable, source=options.source)
    response.headers["Location"] = address(created.id)
    return Investigation.seen_by(caller, created)


@router.get("/investigations")
def list_investigations(
    store: StoreDep,
    caller: CallerDep,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: str | None = None,
    q: Annotated[str | None, Query(max_length=200, description="Text in the label or the verdict")] = None,
    label: Annotated[str | None, Query(max_length=200, description="Exactly this label")] = None,
    kind: Annotated[str | None, Query(max_length=80, description="A detector that found something")] = None,
    host: Annotated[str | None, Query(max_length=260, description="A host that evidence is from")] = None,
) -> InvestigationList:
    """The newest first."""
    wanted = service.InvestigationFilter(q or None, label or None, kind or None, host or None)
    page = service.list_investigations(store, limit, cursor, wanted)
    return InvestigationList(
        items=[Investigation.seen_by(caller, found) for found in page.items], next_cursor=page.next_cursor
    )


@router.get("/investigations/{investigation_id}")
def get_investigation(investigation_id: InvestigationId, store: StoreDep, caller: CallerDep) -> Investigation:
    """One investigation."""
    return Investigation.seen_by(caller, read_investigation(store, investigation_id))


@router.patch("/investigations/{investigation_id}")
def rename_investigation(
    investigation_id: InvestigationId, renaming: Renaming, store: StoreDep, caller: CallerDep
) -> Investigation:
    """Rename it."""
    return Investigation.seen_by(
        caller, service.rename_investigation(store, investigation_id, renaming.label)
    )


@router.delete("/investigations/{investigation_id}", status_code=status.HTTP_204_NO_CONTENT)
def delete_investigation(investigation_id: InvestigationId, store: StoreDep) -> None:
    """Delete it with all its data."""
    service.delete_investigation(store, investigation_id)


@router.post("/investigations/{investigation_id}/analyses", status_code=status.HTTP_202_ACCEPTED)
def start(
    investigation_id: InvestigationId,
    store: StoreDep,
    caller: CallerDep,
    response: Response,
    anew: Annotated[bool, Query(description="Decode and analyze finished files again")] = False,
) -> Investigation:
    """Start the analysis, unless it is running or finished."""
    response.headers["Location"] = f"{address(investigation_id)}/progress"
    return Investigation.seen_by(caller, start_analysis(store, investigation_id, anew=anew))


@router.post("/investigations/{investigation_id}/cancel")
def cancel(investigation_id: InvestigationId, store: StoreDep, caller: CallerDep) -> Investigation:
    """Cancel the analysis."""
    return Investigation.seen_by(caller, cancel_analysis(store, investigation_id))


@router.get("/demo")
def get_demos() -> DemoList:
    """The bundled demonstrations."""
    return DemoList(items=[Demo(name=d.name, title=d.title, symptom=d.symptom) for d in list_demos()])


@router.post("/demo", status_code=status.HTTP_201_CREATED)
def create_demo(
    choice: DemoChoice,
    store: StoreDep,
    caller: CallerDep,
    response: Response,
    idempotency_key: IdempotencyKey = None,
) -> Investigation:
    """An investigation with the files of a demonstration; its analysis is queued."""
    created = load_demo(store, choice.name, repeatable=_repeatable("demo", idempotency_key, choice))
    response.headers["Location"] = address(created.id)
    return Investigation.seen_by(caller, created)
