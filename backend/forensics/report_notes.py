"""The notes that people write beside the report."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from backend.text_classes import AnalystText, FixedText, TimeText, VantageText


class NotePart(BaseModel):
    """An analyst note beside the report: it changes no result."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Literal["note", "disagreement"]
    text: AnalystText
    author: AnalystText
    """Empty where nobody said who they are."""
    created: TimeText
    start: TimeText | None = None
    end: TimeText | None = None
    """RFC 3339 with nanoseconds, on the report's clock; None for a note at no time."""
    lane: VantageText = ""
    finding: FixedText = ""
    cause: FixedText = ""
    diagnosis: FixedText = ""
    """Id of the diagnosis that a disagreement is about."""
