"""Whether the product works, for machines that ask."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST, Gauge, generate_latest

from backend.api.dependencies import StoreDep
from backend.api.schemas.storage import Storage
from backend.services.list_workers import not_confined_by

DISK_FREE = Gauge("stallscope_disk_free_bytes", "Free space on the disk of the data folder")
DISK_RESERVE = Gauge("stallscope_disk_reserve_bytes", "Free space below which uploads are refused")
UPLOADS_REFUSED = Gauge("stallscope_uploads_refused", "1 while uploads are refused for low disk space")

router = APIRouter(tags=["health"])


@router.get("/healthz", response_class=PlainTextResponse)
async def healthy() -> str:
    """The process responds, even if all its threads are busy."""
    return "ok"


@router.get("/readyz", response_class=PlainTextResponse)
def ready(store: StoreDep) -> Response:
    """The database responds; 503 while it does not. Low disk space, which refuses uploads only, and
    confinement that a worker's machine does not support are reported."""
    store.database.ready()
    lines = ["ready, low disk space: uploads are refused" if store.room().is_low else "ready"]
    if missing := not_confined_by(store):
        lines.append(f"child processes are confined less, not available: {', '.join(missing)}")
    return PlainTextResponse("\n".join(lines))


@router.get("/api/v1/storage")
def get_storage(store: StoreDep) -> Storage:
    """The disk of the data folder, and its reserve."""
    room = store.room()
    return Storage(
        total_bytes=room.total_bytes,
        free_bytes=room.free_bytes,
        reserve_bytes=room.reserve_bytes,
        uploads_refused=room.is_low,
        upload_max_bytes=store.settings.upload_max_bytes,
    )


@router.get("/metrics", response_class=PlainTextResponse)
def metrics(store: StoreDep) -> Response:
    """Prometheus metrics of this process, and the disk of the data folder."""
    room = store.room()
    DISK_FREE.set(room.free_bytes)
    DISK_RESERVE.set(room.reserve_bytes)
    UPLOADS_REFUSED.set(room.is_low)
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)
