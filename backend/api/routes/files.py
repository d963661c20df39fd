"""Evidence files: plain upload, pasted texts, download, removal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal
from urllib.parse import quote

from anyio import to_thread
from fastapi import APIRouter, Header, Query, Request, Response, status
from fastapi.responses import StreamingResponse
from pydantic import AwareDatetime
from starlette.requests import ClientDisconnect

from backend.access.ownership import may_change, may_download
from backend.api.byte_stream import pieces_of
from backend.api.dependencies import (
    CallerDep,
    DumpReaderDep,
    FileId,
    InvestigationId,
    StoreDep,
    current_caller,
)
from backend.api.patience import when_reachable
from backend.api.routes.investigations import address
from backend.api.schemas.files import File, PastedText, Text, epoch_ns
from backend.errors import StallscopeError
from backend.services import receive_upload
from backend.services.audit import hand_out_original
from backend.services.read_progress import read_file
from backend.services.recognise_text import Recognition, recognise_text
from backend.services.recognise_upload import HEAD_BYTES, recognise_upload
from backend.services.request_analysis import read_investigation
from backend.storage.records import EvidenceFile
from backend.storage.store import Store

router = APIRouter(tags=["files"])


@router.put(
    "/investigations/{investigation_id}/files/{name}",
    status_code=status.HTTP_201_CREATED,
    openapi_extra={"requestBody": {"content": {"application/octet-stream": {}}, "required": True}},
)
async def put_file(
    investigation_id: InvestigationId,
    name: str,
    request: Request,
    store: StoreDep,
    response: Response,
    content_sha256: Annotated[str | None, Header(description="Checked when given (hex)")] = None,
    content_length: Annotated[int, Header(include_in_schema=False)] = receive_upload.UNKNOWN_SIZE,
    host: Annotated[str | None, Query(max_length=255, description="The machine it comes from")] = None,
    captured_at: Annotated[
        AwareDatetime | None, Query(description="When a dump was taken, if it does not state it")
    ] = None,
) -> File:
    """The bytes of a file as the body. Idempotent: the same bytes change nothing, others replace the file."""
    await to_thread.run_sync(read_investigation, store, investigation_id)
    announced = _Announced(name, content_length, content_sha256, host or None, epoch_ns(captured_at))
    stored = await _take_in(request, store, investigation_id, announced)
    response.headers["Location"] = f"{address(investigation_id)}/files/{stored.id}"
    return File.of(stored)


@dataclass(frozen=True)
class _Announced:
    """What is said of a file before its bytes come."""

    name: str
    size_bytes: int
    sha256: str | None
    host: str | None
    captured_at_ns: int | None


async def _take_in(
    request: Request, store: Store, investigation_id: str, announced: _Announced
) -> EvidenceFile:
    pieces = pieces_of(request)
    first = await anext(pieces, b"")
    caller = current_caller(request)
    # Before anything is written: what is no evidence leaves no trace.
    recognise_upload(first[:HEAD_BYTES])

    def begin() -> EvidenceFile:
        return receive_upload.begin_upload(
            store,
            investigation_id,
            announced.name,
            announced.size_bytes,
            host=announced.host,
            captured_at_ns=announced.captured_at_ns,
        )

    file = await when_reachable(begin)
    try:
        await to_thread.run_sync(receive_upload.append_bytes, store, file, first)
        async for piece in pieces:
            await to_thread.run_sync(receive_upload.append_bytes, store, file, piece)
    except (ClientDisconnect, StallscopeError, OSError):
        await to_thread.run_sync(receive_upload.discard_upload, store, file)
        raise

    def complete() -> EvidenceFile:
        return receive_upload.complete_upload(
            store,
            file,
            announced_sha256=announced.sha256,
            may_replace=lambda made: may_change(caller, made),
        )

    return await when_reachable(complete)


@router.post("/investigations/{investigation_id}/texts", status_code=status.HTTP_201_CREATED)
def add_text(
    investigation_id: InvestigationId,
    text: Text,
    store: StoreDep,
    read_dumps: DumpReaderDep,
    response: Response,
) -> File:
    """Store a pasted text as a file, named after its format unless a name is given."""
    name = text.name or f"{recognise_text(text.text, read_dumps).kind or 'text'}.txt"
    stored = receive_upload.store_text(
        store, investigation_id, name, text.text, host=text.host, captured_at_ns=text.captured_at_ns
    )
    response.headers["Location"] = f"{address(investigation_id)}/files/{stored.id}"
    return File.of(stored)


@router.post("/recognitions")
def recognise(pasted: PastedText, read_dumps: DumpReaderDep) -> Recognition:
    """The format of a text and the lines that were not parsed; nothing is stored."""
    return recognise_text(pasted.text, read_dumps)


@router.get("/investigations/{investigation_id}/files/{file_id}")
def get_file(investigation_id: InvestigationId, file_id: FileId, store: StoreDep) -> File:
    """One file."""
    return File.of(read_file(store, investigation_id, file_id))


@router.delete("/investigations/{investigation_id}/files/{file_id}", status_code=status.HTTP_204_NO_CONTENT)
def delete_file(investigation_id: InvestigationId, file_id: FileId, store: StoreDep) -> None:
    """Delete a file; the others are analyzed again."""
    receive_upload.remove_file(store, investigation_id, file_id)


@router.get(
    "/investigations/{investigation_id}/files/{file_id:path}/content", response_class=StreamingResponse
)
def download(
    investigation_id: InvestigationId,
    file_id: FileId,
    store: StoreDep,
    caller: CallerDep,
    credentials: Annotated[
        Literal["", "accept"], Query(description="`accept`: for a file with credentials")
    ] = "",
) -> StreamingResponse:
    """The file as it was uploaded. A file with credentials requires `accept`; share links have no such endpoint."""
    file = hand_out_original(
        store,
        investigation_id,
        file_id,
        accepted=credentials == "accept",
        may_download=lambda maker, file: may_download(caller, maker, file),
    )
    return StreamingResponse(
        store.blobs.chunks(file.sha256),
        media_type="application/octet-stream",
        headers={
            "Content-Length": str(file.size_bytes),
            "Content-Disposition": f"attachment; filename*=UTF-8''{quote(file.name, safe='')}",
        },
    )
