"""Investigations and their progress as the API shows them."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

from backend.access.callers import Caller
from backend.access.ownership import rights_to
from backend.access.rights import Right
from backend.api.schemas.files import File, Stage
from backend.forensics.report import Role, Severity
from backend.services.read_progress import Progress as ProgressRecord
from backend.storage.records import Investigation as InvestigationRecord

Analysis = Literal["queued", "running", "finished", "failed", "cancelled"]


Source = Literal["browser", "ci", "api"]


class NewInvestigation(BaseModel):
    """What to create."""

    label: str = ""
    source: Source = "api"


class Renaming(BaseModel):
    """What to change."""

    label: str


class VerdictSummary(BaseModel):
    """The first diagnosis in short."""

    cause: str
    title: str
    verdict: Literal["confirmed", "likely", "possible", "cannot-tell"]
    statement: str
    role: Role


class Investigation(BaseModel):
    """One incident."""

    id: str
    label: str
    created: str
    analysis: Analysis | None
    demo: bool
    verdict: VerdictSummary | None
    time_lost_s: float
    files_total: int
    packets_total: int
    share_count: int
    source: Source
    """Who made it: a person on the page, a pipeline, another program."""
    finding_kinds: list[str]
    """Of the detectors that found something; empty for analyses of older versions."""
    hosts: list[str]
    """Machines that the evidence names, at most 20; empty for analyses of older versions."""
    may: list[Right] = []
    """What the caller may do to it; reading is not named. Nothing behind a link."""

    @classmethod
    def of(cls, record: InvestigationRecord, caller: Caller | None = None) -> Investigation:
        """The stored record in the API's words."""
        summary = record.summary or {}
        return cls(
            id=record.id,
            label=record.label,
            created=record.created,
            analysis=record.analysis,  # type: ignore[arg-type]
            demo=bool(record.demo),
            verdict=VerdictSummary(**summary["verdict"]) if summary.get("verdict") else None,
            time_lost_s=summary.get("time_lost_s", 0.0),
            files_total=record.files_total,
            packets_total=record.packets_total,
            share_count=record.share_count,
            source=record.source,  # type: ignore[arg-type]
            finding_kinds=summary.get("kinds", []),
            hosts=summary.get("hosts", []),
            may=rights_to(caller, record.maker) if caller else [],
        )


class InvestigationList(BaseModel):
    """A page of the list."""

    items: list[Investigation]
    next_cursor: str | None


class FindingSoFar(BaseModel):
    """A finding of an analysis that still runs: its cause is not known yet, and the report may call it otherwise."""

    id: str
    kind: str
    severity: Severity
    title: str
    role: Role
    count: int
    time_lost_s: float


class Progress(BaseModel):
    """Where the work is; also the body of each progress event."""

    analysis: Analysis | None
    stage: Stage
    files: list[File]
    findings_so_far: int
    found_so_far: list[FindingSoFar]
    """The first 50 of them in the order in which they came, while the analysis runs; empty afterwards."""
    message: str
    updated: str

    @classmethod
    def of(cls, progress: ProgressRecord) -> Progress:
        """The stored record in the API's words."""
        return cls(
            analysis=progress.investigation.analysis,  # type: ignore[arg-type]
            stage=Stage.numbered(progress.stage_number),
            files=[File.of(file) for file in progress.files],
            findings_so_far=progress.investigation.findings_so_far,
            found_so_far=[FindingSoFar(**each) for each in progress.investigation.found_so_far or ()],
            message=progress.investigation.message,
            updated=progress.investigation.updated,
        )


class Demo(BaseModel):
    """A bundled demonstration."""

    name: str
    title: str
    symptom: str


class DemoList(BaseModel):
    """All of them."""

    items: list[Demo]


class DemoChoice(BaseModel):
    """Which one to load."""

    name: str
