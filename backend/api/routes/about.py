"""Which version answers: with it a page sees that an older one analysed what it shows."""

from __future__ import annotations

from fastapi import APIRouter, Request

from backend.api.schemas.version import Version

router = APIRouter(tags=["health"])


@router.get("/version")
def get_version(request: Request) -> Version:
    """The product's version, as in the `tool` of a report made now."""
    return Version(version=request.app.version)
