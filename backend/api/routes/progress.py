"""Progress, by polling and as server-sent events."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Header
from fastapi.responses import StreamingResponse

from backend.api.dependencies import BroadcasterDep, InvestigationId, StoreDep
from backend.api.event_broadcaster import EventBroadcaster, News
from backend.api.problems import document_of
from backend.api.schemas.investigations import Progress
from backend.errors import NotFound, Unavailable
from backend.services.read_progress import read_progress
from backend.services.request_analysis import read_investigation
from backend.storage.store import Store

router = APIRouter(prefix="/investigations/{investigation_id}", tags=["progress"])
HEARTBEAT_S = 10.0


@router.get("/progress")
def get_progress(investigation_id: InvestigationId, store: StoreDep) -> Progress:
    """The progress of the analysis."""
    return Progress.of(read_progress(store, investigation_id))


@router.get("/events", response_class=StreamingResponse)
async def get_events(
    investigation_id: InvestigationId,
    store: StoreDep,
    broadcaster: BroadcasterDep,
    last_event_id: Annotated[str, Header()] = "",
) -> StreamingResponse:
    """Events named `progress`, each with the full state; ids increase, so none is sent twice. An event named
    `unavailable` holds a problem document with the reason why the state is not available."""
    await to_thread.run_sync(read_investigation, store, investigation_id)
    seen = int(last_event_id) if re.fullmatch("[0-9]{1,18}", last_event_id) else -1
    return StreamingResponse(
        _events(store, broadcaster, investigation_id, seen),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


async def _events(
    store: Store, broadcaster: EventBroadcaster, investigation_id: str, seen: int
) -> AsyncIterator[str]:
    async with broadcaster.listening(investigation_id) as queue:
        yield "retry: 1000\n\n"
        news: News = seen + 1
        away = False
        while news is not None:
            if not isinstance(news, Unavailable) and (away or news > seen):
                found = await _picture(store, investigation_id)
                if found is None:
                    return
                news, body = found
                if not isinstance(news, Unavailable) and (away or news > seen):
                    seen, away = news, False
                    yield f"id: {seen}\nevent: progress\ndata: {body}\n\n"
            if isinstance(news, Unavailable) and not away:
                away = True
                yield f"event: unavailable\ndata: {document_of(news).model_dump_json(exclude_none=True)}\n\n"
            try:
                news = await asyncio.wait_for(queue.get(), HEARTBEAT_S)
            except TimeoutError:
                yield ": still here\n\n"


async def _picture(store: Store, investigation_id: str) -> tuple[int | Unavailable, str] | None:
    try:
        progress = await to_thread.run_sync(read_progress, store, investigation_id)
    except NotFound:
        return None
    except Unavailable as error:
        return error, ""
    return progress.investigation.revision, Progress.of(progress).model_dump_json()
