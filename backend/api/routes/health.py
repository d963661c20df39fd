"""Whether the product works, for machines that ask."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from backend.api.dependencies import StoreDep
from backend.api.problems import problem

router = APIRouter(tags=["health"])


@router.get("/healthz", response_class=PlainTextResponse)
def healthy() -> str:
    """The process answers."""
    return "ok"


@router.get("/readyz", response_class=PlainTextResponse)
def ready(store: StoreDep) -> Response:
    """The database answers too."""
    try:
        store.database.ready()
    except Exception:
        return problem(503, "Not ready", "The database does not answer.", {"Retry-After": "1"})
    return PlainTextResponse("ready")


@router.get("/metrics", response_class=PlainTextResponse)
def metrics() -> Response:
    """Prometheus metrics of this process."""
    return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)
