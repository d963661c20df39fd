"""Types of the texts and figures of a report, and the glyphs of its marks."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationInfo

from backend.forensics.private_words import composed
from backend.text_classes import ProseText

Glyph = Literal[
    "instant",
    "repeat",
    "missing",
    "ladder",
    "path",
    "pair",
    "band",
    "comb",
    "bracket",
    "step",
    "guide",
    "note",
]


def _composed(text: str, info: ValidationInfo) -> str:
    return text if info.mode == "json" else composed(text)


Text = Annotated[ProseText, AfterValidator(_composed)]
"""A text that may hold words of somebody's, which know their bounds until the report is written."""


class FigurePart(BaseModel):
    """A key figure of the verdict."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Text = ""
    value: Text = ""
