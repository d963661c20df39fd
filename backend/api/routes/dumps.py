"""Kernel state: what dumps hold and how it changed; for one's own page and, the same, behind a share link."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from backend.api.dependencies import FileId, StoreDep, Subject
from backend.services.dump_series import SeriesList, list_series
from backend.services.list_dumps import DumpList, DumpTablePage, dump_table, list_dumps
from backend.services.redaction.declared import Asked, shareable

router = APIRouter(tags=["results"])


@router.get("/dumps")
@shareable()
def get_dumps(subject: Subject, store: StoreDep) -> DumpList:
    """Every dump: when and where it was taken, its tables, the lines that were not parsed."""
    return list_dumps(store, subject)


@router.get("/dumps/series")
@shareable()
def get_dump_series(subject: Subject, store: StoreDep) -> SeriesList:
    """Counters and gauges in at least two dumps, and how they changed between them."""
    return list_series(store, subject)


@router.get("/dumps/{file_id:path}/{number}/{table}")
@shareable()
def get_dump_table(
    subject: Subject,
    file_id: FileId,
    number: Annotated[int, Path(ge=0, description="Which dump of the text")],
    table: Annotated[str, Path(max_length=60)],
    store: StoreDep,
    q: Annotated[
        str | None,
        Asked.PAYLOAD_SEARCH,
        Query(max_length=200, description="Text; of entries: an address, a port"),
    ] = None,
    offset: Annotated[int, Query(ge=0)] = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 200,
) -> DumpTablePage:
    """Rows of one table, each with the line it was read from."""
    return dump_table(store, subject, (file_id, number, table), text=q or None, page=(offset, limit))
