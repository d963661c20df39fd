"""Resumable uploads: tus 1.0 core, creation, termination (https://tus.io/protocols/resumable-upload)."""

from __future__ import annotations

import base64
import binascii
import re
import time
from contextlib import suppress
from email.utils import formatdate
from functools import partial
from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Header, Request, Response, status
from pydantic import AwareDatetime, BeforeValidator, TypeAdapter, ValidationError
from starlette.requests import ClientDisconnect

from backend.api.byte_stream import pieces_of
from backend.api.dependencies import InvestigationId, StoreDep
from backend.api.patience import when_reachable
from backend.api.routes.investigations import address
from backend.api.schemas.files import epoch_ns
from backend.errors import Conflict, InvalidRequest, NotFound, Unavailable, UnknownFormat
from backend.services import receive_upload
from backend.services.read_progress import read_file
from backend.storage.records import UPLOADING, EvidenceFile
from backend.storage.store import Store

MOST_BYTES = 2**63 - 1
METADATA_LIMIT = 4096
METADATA_KEYS = 20


def _decimal(given: object) -> object:
    """As the protocol writes numbers: no sign, no blank, no underscore."""
    if isinstance(given, str) and not re.fullmatch(r"[0-9]{1,19}", given, re.ASCII):
        raise ValueError(f"is not a number of bytes from 0 to {MOST_BYTES}")
    return given


router = APIRouter(prefix="/investigations/{investigation_id}/uploads", tags=["uploads"])

TUS_HEADERS = {"Tus-Resumable": "1.0.0", "Cache-Control": "no-store"}
NOTE_EVERY_S = 0.25
HOST_LIMIT = 255
_TIME = TypeAdapter(AwareDatetime)
OFFSET_BODY = {"requestBody": {"content": {"application/offset+octet-stream": {}}, "required": True}}


@router.options("", status_code=status.HTTP_204_NO_CONTENT)
def describe(investigation_id: InvestigationId, store: StoreDep) -> Response:
    """The supported version and extensions of tus."""
    del investigation_id
    headers = {
        **TUS_HEADERS,
        "Tus-Version": "1.0.0",
        "Tus-Extension": "creation,termination,expiration",
        "Tus-Max-Size": str(store.settings.upload_max_bytes),
    }
    return Response(status_code=204, headers=headers)


@router.post("", status_code=status.HTTP_201_CREATED, response_class=Response)
def create_upload(
    investigation_id: InvestigationId,
    store: StoreDep,
    upload_length: Annotated[int, BeforeValidator(_decimal), Header(ge=0, le=MOST_BYTES)],
    upload_metadata: Annotated[str, Header()] = "",
) -> Response:
    """Announce a file; metadata `filename` names it, `host` and `captured_at` say where and when it was taken."""
    if upload_length == 0:
        raise UnknownFormat("The file is empty. Nothing of it was stored.")
    metadata = _metadata(upload_metadata)
    file = receive_upload.begin_upload(
        store,
        investigation_id,
        metadata.get("filename", "unnamed"),
        upload_length,
        host=metadata.get("host", "")[:HOST_LIMIT] or None,
        captured_at_ns=_time_ns(metadata.get("captured_at", "")),
    )
    location = f"{address(investigation_id)}/uploads/{file.id}"
    headers = {**TUS_HEADERS, "Location": location, **_expires(store, file)}
    return Response(status_code=201, headers=headers)


@router.head("/{upload_id}", response_class=Response)
def get_offset(
    investigation_id: InvestigationId, upload_id: str, request: Request, store: StoreDep
) -> Response:
    """Bytes received: the offset to resume from."""
    file = read_file(store, investigation_id, upload_id)
    offset = receive_upload.arrived_bytes(store, file)
    if _is_all(file, offset) and upload_id not in request.app.state.busy_uploads:
        # The database went away before the last step; a client that hears that all has arrived sends no more.
        receive_upload.complete_upload(store, file)
    headers = {**TUS_HEADERS, "Upload-Offset": str(offset), "Upload-Length": str(file.size_bytes)}
    headers |= _expires(store, file) if file.status == UPLOADING else {}
    return Response(status_code=200, headers=headers)


@router.patch("/{upload_id}", status_code=status.HTTP_204_NO_CONTENT, openapi_extra=OFFSET_BODY)
async def append(
    investigation_id: InvestigationId,
    upload_id: str,
    request: Request,
    store: StoreDep,
    upload_offset: Annotated[int, BeforeValidator(_decimal), Header(ge=0, le=MOST_BYTES)],
) -> Response:
    """The bytes from that offset on; what arrives before an interruption is kept."""
    file = await to_thread.run_sync(read_file, store, investigation_id, upload_id)
    if request.headers.get("content-type") != "application/offset+octet-stream":
        raise InvalidRequest("A tus upload is sent as application/offset+octet-stream.")
    busy: set[str] = request.app.state.busy_uploads
    if upload_id in busy:
        return Response(status_code=423, headers=TUS_HEADERS)
    busy.add(upload_id)
    try:
        offset = await _append_all(request, store, file, upload_offset)
    finally:
        busy.discard(upload_id)
    headers = {**TUS_HEADERS, "Upload-Offset": str(offset), **_expires(store, file)}
    return Response(status_code=204, headers=headers)


@router.delete("/{upload_id}", status_code=status.HTTP_204_NO_CONTENT)
def cancel_upload(investigation_id: InvestigationId, upload_id: str, store: StoreDep) -> Response:
    """Cancel an upload and delete what was received."""
    file = read_file(store, investigation_id, upload_id)
    if file.status != UPLOADING:
        raise NotFound("This upload is complete; the file itself can be deleted instead.")
    receive_upload.discard_upload(store, file)
    return Response(status_code=204, headers=TUS_HEADERS)


def _expires(store: Store, file: EvidenceFile) -> dict[str, str]:
    """When it is removed unless something arrives before (tus, extension expiration)."""
    expires_s = receive_upload.expires_at(store, file)
    return {} if expires_s is None else {"Upload-Expires": formatdate(expires_s, usegmt=True)}


async def _append_all(request: Request, store: Store, file: EvidenceFile, announced_offset: int) -> int:
    offset = await to_thread.run_sync(receive_upload.arrived_bytes, store, file)
    if announced_offset != offset:
        raise Conflict(f"The upload stands at byte {offset}, not {announced_offset}.")
    noted = 0.0
    try:
        async for piece in pieces_of(request):
            offset = await to_thread.run_sync(receive_upload.append_bytes, store, file, piece)
            if time.monotonic() - noted > NOTE_EVERY_S:
                with suppress(Unavailable):  # nobody has to see how far it is
                    await to_thread.run_sync(receive_upload.note_arrival, store, file, offset)
                noted = time.monotonic()
    except ClientDisconnect:
        return offset
    if _is_all(file, offset):
        await when_reachable(partial(receive_upload.complete_upload, store, file))
    return offset


def _is_all(file: EvidenceFile, offset: int) -> bool:
    return offset == file.size_bytes and file.status == UPLOADING


def _time_ns(text: str) -> int | None:
    if not text:
        return None
    try:
        return epoch_ns(_TIME.validate_python(text))
    except ValidationError:
        raise InvalidRequest(
            "The upload's metadata `captured_at` is no time like 2026-11-21T01:11:41Z."
        ) from None


def _metadata(header: str) -> dict[str, str]:
    found: dict[str, str] = {}
    if len(header) > METADATA_LIMIT:
        raise InvalidRequest(f"The upload's metadata is too long (limit {METADATA_LIMIT:,} characters).")
    pairs = header.split(",") if header.strip() else []
    if len(pairs) > METADATA_KEYS:
        raise InvalidRequest(f"The upload's metadata has too many keys (limit {METADATA_KEYS}).")
    for pair in pairs:
        key, _, value = pair.strip().partition(" ")
        if not re.fullmatch(r"[!-+\--~]+", key, re.ASCII):
            raise InvalidRequest(
                "A key of the upload's metadata is empty or has other characters than ASCII."
            )
        if key in found:
            raise InvalidRequest(f"The upload's metadata has the key `{key}` twice.")
        try:
            found[key] = base64.b64decode(value, validate=True).decode("utf-8", "replace")
        except binascii.Error:
            raise InvalidRequest(f"The upload's metadata `{key}` is not base64.") from None
        if "\0" in found[key]:
            raise InvalidRequest(f"The upload's metadata `{key}` holds the control character U+0000.")
    return found
