"""What the repositories hand out: frozen copies of rows, valid after the session has ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from backend.forensics.comparison.result import Outcome
from backend.storage.acting import Maker

AnalysisState = Literal["queued", "running", "finished", "failed", "cancelled"]

STAGES = ("upload", "identify", "decode", "join sightings", "detect", "diagnose")
"""The six stages of the work, numbered from 1; the first three belong to a file, the others to all files."""

UPLOADING, STORED, DECODING, DECODED, FAILED, REFUSED = (
    "uploading",
    "stored",
    "decoding",
    "decoded",
    "failed",
    "refused",
)
"""Where a file stands."""

MOST_SHOWN = 50

UNDECIDED = (STORED, DECODING)
"""A file that still needs work."""


def now_text() -> str:
    """The time now as RFC 3339 in UTC; sorts as text."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


@dataclass(frozen=True)
class Investigation:
    """One incident."""

    id: str
    label: str
    created: str
    demo: str
    analysis: str | None
    generation: int
    revision: int
    stage_number: int
    stage_name: str
    message: str
    findings_so_far: int
    found_so_far: list[dict[str, Any]] | None
    """What the running analysis has found, in short and in the order in which it came; None when none runs."""
    summary: dict[str, Any] | None
    updated: str
    source: str
    """browser, ci or api."""
    files_total: int = 0
    packets_total: int = 0
    share_count: int = 0
    owner_id: str | None = None
    token_id: str | None = None

    @property
    def maker(self) -> Maker:
        """Who created it."""
        return Maker(self.owner_id, self.token_id)


@dataclass(frozen=True)
class EvidenceFile:
    """One file of an investigation."""

    id: str
    investigation_id: str
    name: str
    kind: str
    format: str
    size_bytes: int
    sha256: str
    status: str
    attempt: int
    created: str
    bundle_id: str | None
    host: str | None
    captured_at_ns: int | None
    stage_number: int
    stage_name: str
    packets: int
    bytes_done: int
    rate_packets_s: float | None
    lines: int
    lines_not_understood: int
    warnings: tuple[str, ...]
    error: str | None
    not_understood_at: tuple[int, ...] = ()
    """1-based numbers of the first of those lines."""
    holds_credentials: bool = False
    uploaded_sha256: str = ""
    """Of the bytes as they came, where credentials were overwritten in those that are kept."""
    owner_id: str | None = None
    token_id: str | None = None

    @property
    def maker(self) -> Maker:
        """Who uploaded it."""
        return Maker(self.owner_id, self.token_id)


FileKind = Literal["capture", "dump", "bundle"]


@dataclass(frozen=True)
class FileOutcome:
    """What decoding a file has shown."""

    kind: FileKind
    format: str
    packets: int
    lines: int
    lines_not_understood: int
    warnings: tuple[str, ...]
    error: str | None
    not_understood_at: tuple[int, ...] = ()
    """1-based numbers of the first of those lines."""
    holds_credentials: bool = False


@dataclass(frozen=True)
class NewMember:
    """One file that came out of a bundle; its bytes are stored already."""

    id: str
    name: str
    kind: str
    format: str
    size_bytes: int
    sha256: str


@dataclass(frozen=True)
class FileProgress:
    """Where the decode of a file is."""

    stage_number: int
    packets: int
    bytes_done: int
    rate_packets_s: float | None


@dataclass(frozen=True)
class ShareView:
    """The part of an investigation that a link to one view shows."""

    from_ns: int | None = None
    """ns after t0, as `to_ns`; None for the ends of the data."""
    to_ns: int | None = None
    filter: str = ""
    """Of packets, in the language of the packet list."""
    lanes: tuple[str, ...] = ()
    """Ids of the lanes; empty for all."""


@dataclass(frozen=True)
class Share:
    """A read-only link, without its secret."""

    id: str
    investigation_id: str
    secret_sha256: str
    created: str
    expires: str
    revoked: str | None
    finding_id: str
    """Empty for all of the investigation."""
    addresses: str
    """real or names."""
    payload: str
    """removed, or headers: words of HTTP and DNS messages."""
    shows: str
    """frozen or live."""
    with_notes: bool
    view: ShareView | None
    """None for all of what the link is to."""
    made_by: str
    """Empty where nobody signs in."""
    password_hash: str
    show_title: bool
    opened: int
    last_opened: str | None
    pseudonym_key: bytes = field(repr=False)
    """256 random bits that nobody but the server knows: the link's names follow from it, and from nothing else."""


@dataclass(frozen=True)
class Note:
    """What a person wrote down."""

    id: str
    investigation_id: str
    kind: str
    """note or disagreement."""
    text: str
    author: str
    """Empty where nobody said who they are."""
    created: str
    from_ns: int | None
    """ns after t0, the first packet of all captures."""
    to_ns: int | None
    lane: str
    finding_id: str
    cause: str
    diagnosis_id: str
    owner_id: str | None = None
    token_id: str | None = None

    @property
    def maker(self) -> Maker:
        """Who wrote it."""
        return Maker(self.owner_id, self.token_id)


@dataclass(frozen=True)
class Run:
    """An investigation as a run of a pipeline, and its newest valid comparison."""

    id: str
    label: str
    created: str
    analysis: AnalysisState | None
    time_lost_s: float
    base_id: str | None
    """What it was compared with; None where it was not."""
    verdict: Outcome | None
    statement: str


@dataclass(frozen=True)
class StoredComparison:
    """An investigation compared with another, without its content."""

    id: str
    investigation_id: str
    base_id: str
    generation: int
    base_generation: int
    created: str
    verdict: str
    statement: str
    by_owner: bool = True
    """Made by one who may change the candidate."""
