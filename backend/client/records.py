"""What the API says of investigations, files, progress and links, as far as programs act on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Document = dict[str, Any]
"""JSON as the API gives it."""


@dataclass(frozen=True)
class InvestigationRecord:
    """A row of the list of investigations."""

    id: str
    label: str
    created: str
    analysis: str | None
    """``queued``, ``running``, ``finished``, ``failed``, ``cancelled``; None before the first file."""
    time_lost_s: float
    files_total: int
    packets_total: int

    @classmethod
    def of(cls, document: Document) -> InvestigationRecord:
        """From the API's JSON."""
        return cls(**{name: document[name] for name in cls.__dataclass_fields__})


@dataclass(frozen=True)
class File:
    """An evidence file on the server."""

    id: str
    name: str
    kind: str | None
    """``capture``, ``dump`` or ``bundle``."""
    status: str
    size_bytes: int
    sha256: str | None
    error: str | None
    warnings: tuple[str, ...]

    @classmethod
    def of(cls, document: Document) -> File:
        """From the API's JSON."""
        known = {name: document[name] for name in cls.__dataclass_fields__}
        return cls(**{**known, "warnings": tuple(document["warnings"])})


@dataclass(frozen=True)
class Progress:
    """Where the analysis is."""

    analysis: str | None
    stage: str
    stage_number: int
    stages: int
    findings_so_far: int
    message: str
    files: tuple[File, ...]

    @classmethod
    def of(cls, document: Document) -> Progress:
        """From the API's JSON."""
        return cls(
            analysis=document["analysis"],
            stage=document["stage"]["name"],
            stage_number=document["stage"]["number"],
            stages=document["stage"]["of"],
            findings_so_far=document["findings_so_far"],
            message=document["message"],
            files=tuple(File.of(each) for each in document["files"]),
        )


@dataclass(frozen=True)
class ShareLink:
    """A read-only link, at the only moment when its secret is known."""

    id: str
    url: str
    expires: str
