"""Lists of parts of a report."""

from __future__ import annotations

from pydantic import BaseModel

from backend.forensics.report import DiagnosisPart, FindingPart


class FindingList(BaseModel):
    """All findings of a report."""

    items: list[FindingPart]


class DiagnosisList(BaseModel):
    """All diagnoses of a report."""

    items: list[DiagnosisPart]
