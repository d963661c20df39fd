"""Whether the product works, for machines that ask."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from backend.api.dependencies import StoreDep

router = APIRouter(tags=["health"])


@router.get("/healthz", response_class=PlainTextResponse)
async def healthy() -> str:
    """The process answers, with or without a thread to spare."""
    return "ok"


@router.get("/readyz", response_class=PlainTextResponse)
def ready(store: StoreDep) -> Response:
    """The database answers too; 503 while it does not."""
    store.database.ready()
    return PlainTextResponse("ready")


@router.get("/metrics", response_class=PlainTextResponse)
def metrics() -> Response:
    """Prometheus metrics of this process."""
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)
