"""Notes as the API shows them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from backend.api.schemas.from_record import FromRecord
from backend.storage.notes import NewNote
from backend.storage.records import Note as NoteRecord
from backend.text_classes import AnalystText, FixedText, IdText, TimeText, VantageText

Kind = Literal["note", "disagreement"]
OffsetNs = Annotated[int, Field(strict=True, ge=0, le=2**53 - 1)]
"""ns after t0; the largest is what JavaScript's numbers hold exactly."""


class NoteOptions(BaseModel):
    """What to write down."""

    kind: Kind = "note"
    text: str = Field(min_length=1, max_length=2_000)
    """Plain text; it is shown as it was written."""
    author: str = Field(default="", max_length=120)
    """Who says so; where people sign in, their name or that of their token stands instead."""
    from_ns: OffsetNs | None = Field(default=None, alias="from")
    to_ns: OffsetNs | None = Field(default=None, alias="to")
    lane: str = Field(default="", max_length=220)
    finding: str = Field(default="", max_length=80)
    cause: str = Field(default="", max_length=80)
    diagnosis: str = Field(default="", max_length=90)
    """Id of the diagnosis in the report; where the report names a cause once, the cause is enough."""

    def written_by(self, name: str) -> NewNote:
        """The note to store."""
        return NewNote(
            kind=self.kind,
            text=self.text,
            author=name or self.author,
            from_ns=self.from_ns,
            to_ns=self.to_ns,
            lane=self.lane,
            finding_id=self.finding,
            cause=self.cause,
            diagnosis_id=self.diagnosis,
        )


class Note(FromRecord):
    """One note; `from` and `to` are ns after t0, null for a note without a time."""

    id: IdText
    kind: Kind
    text: AnalystText
    author: AnalystText
    created: TimeText
    from_ns: int | None = Field(serialization_alias="from")
    to_ns: int | None = Field(serialization_alias="to")
    lane: VantageText
    finding: FixedText = Field(validation_alias="finding_id")
    cause: FixedText
    diagnosis: FixedText = Field(validation_alias="diagnosis_id")
    may_delete: bool = False
    """Whether the caller may take it back."""

    @classmethod
    def deletable(cls, record: NoteRecord, *, may_delete: bool) -> Note:
        """With whether the caller may take it back."""
        return cls.of(record).model_copy(update={"may_delete": may_delete})


class NoteList(BaseModel):
    """All notes of an investigation, the oldest first."""

    items: list[Note]
