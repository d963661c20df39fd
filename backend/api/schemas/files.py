"""Evidence files as the API shows them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Literal

from pydantic import AwareDatetime, BaseModel, Field

from backend.storage.records import STAGES, EvidenceFile

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
TEXT_LIMIT = 32 << 20
"""Characters of a pasted text; what is longer is better uploaded as a file."""
FileStatus = Literal["uploading", "stored", "decoding", "decoded", "failed", "refused"]


class Stage(BaseModel):
    """One of the six stages of the work."""

    number: int
    of: int
    name: str

    @classmethod
    def numbered(cls, number: int) -> Stage:
        """The stage of that number, from 1."""
        return cls(number=number, of=len(STAGES), name=STAGES[number - 1])


class File(BaseModel):
    """One file of an investigation."""

    id: str
    name: str
    kind: str | None
    format: str | None
    size_bytes: int
    sha256: str | None
    status: FileStatus
    stage: Stage
    packets: int
    bytes_done: int
    rate_packets_s: float | None
    warnings: list[str]
    error: str | None
    lines: int
    lines_not_understood: int
    not_understood_at: list[int]
    """1-based numbers of the first 200 lines that nobody understood."""
    holds_credentials: bool
    """Keys or tokens pass in it in clear text. Only the file itself holds them: its download has to be confirmed, and
    a share link never hands it out."""
    uploaded_sha256: str | None
    """Of the bytes as they came, where credentials were overwritten in those that are kept."""

    @classmethod
    def of(cls, file: EvidenceFile) -> File:
        """The stored record in the API's words."""
        return cls(
            id=file.id,
            name=file.name,
            kind=file.kind or None,
            format=file.format or None,
            size_bytes=file.size_bytes,
            sha256=file.sha256 or None,
            status=file.status,  # type: ignore[arg-type]
            stage=Stage.numbered(file.stage_number),
            packets=file.packets,
            bytes_done=file.bytes_done,
            rate_packets_s=file.rate_packets_s,
            warnings=list(file.warnings),
            error=file.error,
            lines=file.lines,
            lines_not_understood=file.lines_not_understood,
            not_understood_at=list(file.not_understood_at),
            holds_credentials=file.holds_credentials,
            uploaded_sha256=file.uploaded_sha256 or None,
        )


def epoch_ns(time: datetime | None) -> int | None:
    """Nanoseconds since 1970 of an aware time; None stays None."""
    return None if time is None else (time - EPOCH) // timedelta(microseconds=1) * 1000


class FileList(BaseModel):
    """All files of an investigation; there are never so many that they need pages."""

    items: list[File]


class Text(BaseModel):
    """A text to keep as a file."""

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
    """A text to recognise; nothing of it is kept."""

    text: str = Field(max_length=TEXT_LIMIT)


class Line(BaseModel):
    """A line of a dump and its 1-based number."""

    n: int
    text: str


class Lines(BaseModel):
    """A part of a dump."""

    lines: list[Line]
    lines_total: int


class Recognition(BaseModel):
    """What a pasted text is. A long one is judged by its first 256 KiB; the analysis reads all of it."""

    kind: str
    """Kinds of the dumps in it, joined with ``+``; empty where none is known."""
    lines: int
    lines_not_understood: list[Line] = Field(default_factory=list)
    """The first 100 of them."""
