"""The notes that people write beside the report."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict


class NotePart(BaseModel):
    """What a person wrote down beside the report: nothing measured follows from it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Literal["note", "disagreement"]
    text: str
    author: str
    """Empty where nobody said who they are."""
    created: str
    start: str | None = None
    end: str | None = None
    """RFC 3339 with nanoseconds, on the report's clock; None for a note at no time."""
    lane: str = ""
    finding: str = ""
    cause: str = ""
    diagnosis: str = ""
    """Id of the diagnosis that a disagreement is about."""
