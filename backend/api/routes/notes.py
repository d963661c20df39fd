"""Notes by people: write, list, delete. Share links do not show them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, status

from backend.access.ownership import may_change
from backend.access.rights import Need
from backend.api.dependencies import ID_PATTERN, CallerDep, InvestigationId, StoreDep
from backend.api.schemas.notes import Note, NoteList, NoteOptions
from backend.services import write_notes as service
from backend.services.request_analysis import read_investigation
from backend.storage.makers import Made

router = APIRouter(prefix="/investigations/{investigation_id}/notes", tags=["notes"])

NoteId = Annotated[str, Path(description="Id of the note", pattern=ID_PATTERN)]


@router.post("", status_code=status.HTTP_201_CREATED)
def create_note(
    investigation_id: InvestigationId, options: NoteOptions, store: StoreDep, caller: CallerDep
) -> Note:
    """A note at a time, or the rejection of a diagnosis; measured results do not change."""
    written = service.write_note(store, investigation_id, options.written_by(caller.name))
    return Note.deletable(written, may_delete=True)


@router.get("")
def list_notes(investigation_id: InvestigationId, store: StoreDep, caller: CallerDep) -> NoteList:
    """All notes of an investigation, the oldest first."""
    found = service.list_notes(store, investigation_id)
    maker = read_investigation(store, investigation_id).maker
    deletes = Need.UPLOAD in caller.may
    items = [
        Note.deletable(note, may_delete=deletes and may_change(caller, Made(maker, note.maker)))
        for note in found
    ]
    return NoteList(items=items)


@router.delete("/{note_id}", status_code=status.HTTP_204_NO_CONTENT)
def delete_note(investigation_id: InvestigationId, note_id: NoteId, store: StoreDep) -> None:
    """Delete a note."""
    service.delete_note(store, investigation_id, note_id)
