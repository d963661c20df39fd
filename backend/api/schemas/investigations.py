"""Investigations and their progress as the API shows them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AliasPath, BaseModel, BeforeValidator, Field

from backend.access.callers import Caller
from backend.access.ownership import rights_to
from backend.access.rights import Right
from backend.api.schemas.files import File, StageNumber
from backend.api.schemas.from_record import FromRecord
from backend.forensics.report import Role, Severity
from backend.storage.records import AnalysisState
from backend.storage.records import Investigation as InvestigationRecord
from backend.text_classes import FixedText, IdText, MachineText, ProseText, TimeText

Source = Literal["browser", "ci", "api"]


class NewInvestigation(BaseModel):
    """What to create."""

    label: str = ""
    source: Source = "api"


class Renaming(BaseModel):
    """What to change."""

    label: str


def _of_summary(name: str, absent: Any) -> Any:
    """Written by the last analysis; `absent` before it, and where an older version wrote none."""
    return Field(default=absent, validation_alias=AliasPath("summary", name))


def _of_investigation(name: str) -> Any:
    return Field(validation_alias=AliasPath("investigation", name))


class VerdictSummary(BaseModel):
    """Summary of the first diagnosis."""

    cause: FixedText
    title: ProseText
    verdict: Literal["confirmed", "likely", "possible", "cannot-tell"]
    statement: ProseText
    role: Role


class Investigation(FromRecord):
    """One incident."""

    id: IdText
    label: ProseText
    created: TimeText
    analysis: AnalysisState | None
    demo: Annotated[bool, BeforeValidator(bool)]
    verdict: VerdictSummary | None = _of_summary("verdict", None)
    time_lost_s: float = _of_summary("time_lost_s", 0.0)
    files_total: int
    packets_total: int
    share_count: int
    source: Source
    """Who made it: a person on the page, a pipeline, another program."""
    finding_kinds: list[FixedText] = _of_summary("kinds", [])
    """Of the detectors that found something; empty for analyses of older versions."""
    hosts: list[MachineText] = _of_summary("hosts", [])
    """Machines that the evidence names, at most 20; empty for analyses of older versions."""
    may: list[Right] = Field(default=[])
    """What the caller may do to it; reading is not named. Nothing behind a link."""

    @classmethod
    def seen_by(cls, caller: Caller, record: InvestigationRecord) -> Investigation:
        """With what the caller may do to it."""
        return cls.of(record).model_copy(update={"may": rights_to(caller, record.maker)})


class InvestigationList(BaseModel):
    """A page of the list."""

    items: list[Investigation]
    next_cursor: str | None


class FindingSoFar(BaseModel):
    """A finding of an analysis that still runs: its cause is not known yet, and its title may differ in the report."""

    id: str
    kind: str
    severity: Severity
    title: str
    role: Role
    count: int
    time_lost_s: float


class Progress(FromRecord):
    """The progress of the analysis; also the body of each progress event."""

    analysis: AnalysisState | None = _of_investigation("analysis")
    stage: StageNumber
    files: list[File]
    findings_so_far: int = _of_investigation("findings_so_far")
    found_so_far: Annotated[list[FindingSoFar], BeforeValidator(lambda found: found or [])] = (
        _of_investigation("found_so_far")
    )
    """The first 50 of them in the order in which they came, while the analysis runs; empty afterwards."""
    message: str = _of_investigation("message")
    updated: str = _of_investigation("updated")


class Demo(BaseModel):
    """A bundled demonstration."""

    name: str
    title: str
    symptom: str


class DemoList(BaseModel):
    """All of them."""

    items: list[Demo]


class DemoChoice(BaseModel):
    """The demonstration to load."""

    name: str
