"""Looks into single frames, and exports of the packet list: for an investigation's own people, never behind a link."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import quote

from fastapi import APIRouter, Path, Query, Response, status
from fastapi.responses import StreamingResponse

from backend.api.dependencies import StoreDep, Subject
from backend.api.routes.charts import MAX_ID, FilterText, FromNs, ToNs
from backend.api.schemas.looks import (
    AskAnonymising,
    AskCarving,
    AskDisplayFilter,
    AskDissection,
    AskLook,
    AskWireshark,
    Dissection,
    Look,
)
from backend.errors import InvalidRequest
from backend.services import take_look
from backend.services.audit import note_export
from backend.services.export_packets import export_packets
from backend.services.jump_in_packets import packets_from
from backend.services.list_packets import PacketList, PacketOptions
from backend.services.select_packets import Selection, select_by_filter, select_by_finding
from backend.services.show_in_wireshark import WiresharkView, ask_wireshark, read_wireshark_view
from backend.storage.looks import Look as LookRecord
from backend.storage.store import Store

router = APIRouter(tags=["looks"])

LookId = Annotated[str, Path(description="Id of the look", pattern="^[0-9a-f]{24}$")]
EXPORTS = {"csv": "text/csv; charset=utf-8", "json": "application/json"}


@router.post("/looks", status_code=status.HTTP_202_ACCEPTED)
def ask_look(subject: Subject, asked: AskLook, store: StoreDep, response: Response) -> Look:
    """Start a dissection job; the same parameters give the same job. 200 if its result exists already."""
    look = _ask(subject, asked, store)
    if look.outcome.state == "done":
        response.status_code = status.HTTP_200_OK
    response.headers["Location"] = f"/api/v1/investigations/{subject}/looks/{look.id}"
    return Look.of(look)


def _ask(subject: str, asked: AskLook, store: Store) -> LookRecord:
    if isinstance(asked, AskDissection):
        return take_look.ask_dissection(store, subject, asked.file, asked.frame)
    if isinstance(asked, AskDisplayFilter):
        return take_look.ask_display_filter(store, subject, asked.filter)
    if isinstance(asked, AskAnonymising):
        return take_look.ask_anonymising(store, subject)
    if isinstance(asked, AskWireshark):
        return ask_wireshark(store, subject, asked.connection, asked.finding, asked.instance)
    selection, name = _selected(subject, asked, store)
    return take_look.ask_carving(store, subject, selection, name, anonymise=asked.anonymise)


def _selected(subject: str, asked: AskCarving, store: Store) -> tuple[Selection, str]:
    if asked.finding is not None:
        if asked.filter or asked.look:
            raise InvalidRequest("Carve a finding or what a filter lists, not both at once.")
        name = asked.finding if asked.instance is None else f"{asked.finding}-{asked.instance}"
        return select_by_finding(store, subject, asked.finding, asked.instance), f"{name}.pcapng"
    listed = None if asked.look is None else take_look.listed_frames(store, subject, asked.look)
    options = PacketOptions(asked.from_ns, asked.to_ns, filter=asked.filter, listed=listed)
    return select_by_filter(store, subject, options), "packets.pcapng"


@router.get("/looks/{look_id}")
def get_look(subject: Subject, look_id: LookId, store: StoreDep) -> Look:
    """Its state."""
    return Look.of(take_look.read_look(store, subject, look_id))


@router.delete("/looks/{look_id}", status_code=status.HTTP_204_NO_CONTENT)
def delete_look(subject: Subject, look_id: LookId, store: StoreDep) -> None:
    """Cancel it; finished steps are kept."""
    take_look.cancel_look(store, subject, look_id)


@router.get("/looks/{look_id}/dissection")
def get_dissection(subject: Subject, look_id: LookId, store: StoreDep) -> Dissection:
    """The frame's protocol tree and bytes."""
    return Dissection.model_validate(take_look.read_dissection(store, subject, look_id))


@router.get("/looks/{look_id}/wireshark")
def get_wireshark_view(subject: Subject, look_id: LookId, store: StoreDep) -> WiresharkView:
    """The packets as Wireshark and Stallscope show them, without credentials."""
    return read_wireshark_view(store, subject, look_id)


@router.get("/looks/{look_id}/packets")
def get_look_packets(
    subject: Subject,
    look_id: LookId,
    store: StoreDep,
    from_ns: FromNs = None,
    to_ns: ToNs = None,
    offset: Annotated[int, Query(ge=0, le=MAX_ID)] = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> PacketList:
    """The packets that a display filter found, in order of time."""
    listed = take_look.listed_frames(store, subject, look_id)
    options = PacketOptions(from_ns, to_ns, listed=listed)
    return packets_from(store, subject, options, offset=offset, limit=limit)


@router.get("/looks/{look_id}/content", response_class=StreamingResponse)
def download_look(subject: Subject, look_id: LookId, store: StoreDep) -> StreamingResponse:
    """The carved capture, or the anonymized tar.gz of all files."""
    name, size, pieces = take_look.look_content(store, subject, look_id)
    note_export(store, subject, name)
    return StreamingResponse(
        pieces,
        media_type="application/x-pcapng" if name.endswith(".pcapng") else "application/gzip",
        headers={"Content-Length": str(size), "Content-Disposition": _attached(name)},
    )


@router.get("/packets/export", response_class=StreamingResponse)
def get_packet_export(
    subject: Subject,
    store: StoreDep,
    form: Annotated[Literal["csv", "json"], Query(alias="format")] = "csv",
    filter_text: FilterText = None,
    look: Annotated[str | None, Query(max_length=32, description="A job of a display filter")] = None,
    from_ns: FromNs = None,
    to_ns: ToNs = None,
) -> StreamingResponse:
    """All rows of the list."""
    listed = None if look is None else take_look.listed_frames(store, subject, look)
    options = PacketOptions(from_ns, to_ns, filter=filter_text, listed=listed)
    rows = export_packets(store, subject, options, form)
    note_export(store, subject, f"packets.{form}")
    return StreamingResponse(
        rows,
        media_type=EXPORTS[form],
        headers={"Content-Disposition": _attached(f"packets.{form}")},
    )


def _attached(name: str) -> str:
    return f"attachment; filename*=UTF-8''{quote(name, safe='')}"
