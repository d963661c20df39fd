"""Whom a cause affects, as numbers: what the report's sentences on it are made of."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict

from backend.forensics.report_text import Text

Unit = Literal["connections", "lookups"]
Microseconds = Annotated[float, AfterValidator(lambda s: round(s, 6))]
Nanoseconds = Annotated[float, AfterValidator(lambda s: round(s, 9))]
"""Seconds, as exact as the name says."""


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
    longest_s: Microseconds
    """How long the one that waited longest took."""
    baseline_s: Nanoseconds | None = None
    """The median of the same, None where nothing shows it."""
