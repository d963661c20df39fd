"""Whom a cause affects, as numbers: what the report's sentences on it are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict

from backend.forensics.report_text import Text

Unit = Literal["connections", "lookups"]
Microseconds = Annotated[float, AfterValidator(lambda s: round(s, 6))]
Nanoseconds = Annotated[float, AfterValidator(lambda s: round(s, 9))]
"""Seconds, as exact as the name says."""


class ImpactPart(BaseModel):
    """At one destination, or summed over it and `other_destinations`, which differ only in the address."""

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


def summed(parts: Sequence[ImpactPart | None]) -> ImpactPart | None:
    """Over all destinations of one unit, the first one named. None where the first has none."""
    first = parts[0]
    if first is None:
        return None
    same = [part for part in parts if part is not None and part.unit == first.unit]
    total_at: dict[str, int] = {}
    others_at: dict[str, int] = {}
    for part in same:
        total_at[part.destination] = max(total_at.get(part.destination, 0), part.total)
        others_at[part.destination] = max(others_at.get(part.destination, 0), part.other_destinations)
    total = sum(total_at.values())
    return first.model_copy(
        update={
            "other_destinations": len(total_at) - 1 + sum(others_at.values()),
            "affected": min(total, sum(part.affected for part in same)),
            "total": total,
            "longest_s": max(part.longest_s for part in same),
        }
    )
