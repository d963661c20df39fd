"""The one thing to do first about a cause."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from backend.forensics.report_text import Text

Action = Literal["fix", "confirm", "ask"]


class DoNowPart(BaseModel):
    """Chosen by the verdict and the evidence."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    action: Action
    """``fix``: a change of this installation. ``confirm``: read what decides, change nothing. ``ask``: no command does
    it, whoever owns `applies_to` does."""
    what: Text
    """At most 12 words."""
    command: Text | None = None
    """As it is to be typed: None where a word of it would have to be replaced first."""
    applies_to: Text = ""
