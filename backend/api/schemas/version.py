"""The version as the API shows it."""

from __future__ import annotations

from pydantic import BaseModel


class Version(BaseModel):
    """What is installed."""

    version: str
    """As in a report's `tool.version`; ``0`` when run from files that were never installed."""
