"""Whom a cause affects, as numbers: what the report's sentences on it are made of."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from backend.forensics.report_text import Text

Unit = Literal["connections", "lookups"]


class ImpactPart(BaseModel):
    """At one destination, or summed over it and `other_destinations` that differ in nothing but their address."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    unit: Unit
    destination: Text
    """Address and port."""
    other_destinations: int = 0
    affected: int
    total: int
    """Of that unit to that destination, affected or not."""
    longest_s: float
    """How long the one that waited longest took."""
    baseline_s: float | None = None
    """The usual time of the same, None where nothing shows it."""
