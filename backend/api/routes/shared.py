"""What only a share link has: the investigation it opens."""

from __future__ import annotations

from fastapi import APIRouter, Depends

from backend.api.dependencies import StoreDep, Subject, shared_investigation
from backend.api.schemas.investigations import Investigation
from backend.services.request_analysis import read_investigation

router = APIRouter(prefix="/shared/{share_id}", tags=["shares"], dependencies=[Depends(shared_investigation)])


@router.get("/investigation")
def get_shared_investigation(subject: Subject, store: StoreDep) -> Investigation:
    """The investigation behind the link."""
    return Investigation.of(read_investigation(store, subject))
