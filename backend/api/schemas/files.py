"""Evidence files as the API shows them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Literal

from pydantic import AwareDatetime, BaseModel, BeforeValidator, Field

from backend.api.schemas.from_record import NULL_IF_EMPTY, FromRecord
from backend.storage.records import STAGES
from backend.text_classes import FileText, FixedText, IdText, OpaqueAddressText, ProseText

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
TEXT_LIMIT = 32 << 20
"""Characters of a pasted text; what is longer is better uploaded as a file."""
FileStatus = Literal["uploading", "stored", "decoding", "decoded", "failed", "refused"]


class Stage(BaseModel):
    """One of the six stages of the work."""

    number: int
    of: int
    name: FixedText

    @classmethod
    def numbered(cls, number: int) -> Stage:
        """The stage of that number, from 1."""
        return cls(number=number, of=len(STAGES), name=STAGES[number - 1])


StageNumber = Annotated[Stage, Field(validation_alias="stage_number"), BeforeValidator(Stage.numbered)]


class File(FromRecord):
    """One file of an investigation."""

    id: IdText
    name: FileText
    kind: Annotated[FixedText | None, NULL_IF_EMPTY]
    format: Annotated[FixedText | None, NULL_IF_EMPTY]
    size_bytes: int
    sha256: Annotated[OpaqueAddressText | None, NULL_IF_EMPTY]
    status: FileStatus
    stage: StageNumber
    packets: int
    bytes_done: int
    rate_packets_s: float | None
    warnings: list[ProseText]
    error: ProseText | None
    lines: int
    lines_not_understood: int
    not_understood_at: list[int]
    """1-based numbers of the first 200 lines that nobody understood."""
    holds_credentials: bool
    """Keys or tokens pass in it in clear text. Only the file itself holds them: its download has to be confirmed, and
    a share link never hands it out."""
    uploaded_sha256: Annotated[OpaqueAddressText | None, NULL_IF_EMPTY]
    """Of the bytes as they came, where credentials were overwritten in those that are kept."""


def epoch_ns(time: datetime | None) -> int | None:
    """Nanoseconds since 1970 of an aware time; None stays None."""
    return None if time is None else (time - EPOCH) // timedelta(microseconds=1) * 1000


class FileList(BaseModel):
    """All files of an investigation, without pages."""

    items: list[File]


class Text(BaseModel):
    """A text to store as a file."""

    name: str | None = None
    text: str = Field(max_length=TEXT_LIMIT)
    host: str | None = Field(default=None, max_length=255)
    captured_at: AwareDatetime | None = None
    """When it was taken, for texts that do not say so themselves."""

    @property
    def captured_at_ns(self) -> int | None:
        """Epoch nanoseconds of `captured_at`."""
        return epoch_ns(self.captured_at)


class PastedText(BaseModel):
    """A text whose format is to be identified; it is not stored."""

    text: str = Field(max_length=TEXT_LIMIT)
