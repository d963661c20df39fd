"""Worker processes: for admins."""

from __future__ import annotations

from fastapi import APIRouter

from backend.api.dependencies import StoreDep
from backend.services import list_workers as service

router = APIRouter(prefix="/workers", tags=["health"])


@router.get("")
def list_workers(store: StoreDep) -> service.WorkerList:
    """The running workers, and the confinement of the processes that read uploads."""
    return service.list_workers(store)
