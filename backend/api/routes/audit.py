"""The audit log: for admins."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query
from fastapi.responses import StreamingResponse

from backend.api.dependencies import StoreDep
from backend.services import audit as service
from backend.storage.audit_log import Act, AuditFilter

router = APIRouter(prefix="/audit", tags=["audit"])
MEDIA_TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson"}


def wanted_events(
    act: Annotated[Act | None, Query(description="Only this")] = None,
    result: Annotated[Literal["done", "refused"] | None, Query()] = None,
    actor: Annotated[str, Query(max_length=200, description="Name or id of who acted")] = "",
    investigation: Annotated[str, Query(max_length=32, description="Id of the investigation")] = "",
) -> AuditFilter:
    """Which rows are asked for."""
    return AuditFilter(act or "", result or "", actor, investigation)


Wanted = Annotated[AuditFilter, Depends(wanted_events)]


@router.get("")
def read_audit_log(
    store: StoreDep,
    wanted: Wanted,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Annotated[str | None, Query(max_length=40)] = None,
) -> service.AuditPage:
    """Who did what, or was refused it; the newest first."""
    return service.list_audit_log(store, limit, cursor, wanted)


@router.get("/download", response_class=StreamingResponse)
def download_audit_log(
    store: StoreDep, wanted: Wanted, form: Annotated[Literal["csv", "jsonl"], Query(alias="format")] = "csv"
) -> StreamingResponse:
    """The whole log as CSV or JSON lines."""
    return StreamingResponse(
        service.download_audit_log(store, wanted, form),
        media_type=MEDIA_TYPES[form],
        headers={"Content-Disposition": f"attachment; filename=audit-log.{form}"},
    )
