"""What only a share link has: the investigation it opens, and its notes where they are shared."""

from __future__ import annotations

from fastapi import APIRouter, Depends

from backend.api.dependencies import ScopeDep, ShareDep, StoreDep, Subject, shared_investigation
from backend.api.schemas.investigations import Investigation
from backend.api.schemas.notes import Note, NoteList
from backend.errors import NotFound
from backend.services.read_report import investigation_part
from backend.services.redaction.declared import shareable
from backend.services.scope import NOT_SHARED
from backend.services.write_notes import list_notes

router = APIRouter(prefix="/shared/{share_id}", tags=["shares"], dependencies=[Depends(shared_investigation)])


@router.get("/investigation")
@shareable(finding=True, view="open")
def get_shared_investigation(subject: Subject, store: StoreDep, scope: ScopeDep) -> Investigation:
    """The investigation behind the link, as far as the link shows it."""
    return Investigation.of(investigation_part(store, subject, scope))


@router.get("/notes")
@shareable(finding=True, view="open")
def get_shared_notes(subject: Subject, share: ShareDep, store: StoreDep, scope: ScopeDep) -> NoteList:
    """Analyst notes, where the link's creator included them."""
    if not share.with_notes:
        raise NotFound(NOT_SHARED)
    return NoteList(items=[Note.of(found) for found in list_notes(store, subject, scope)])
