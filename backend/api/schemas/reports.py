"""Lists of parts of a report."""

from __future__ import annotations

from pydantic import BaseModel

from backend.forensics.report import DiagnosisPart, FindingPart, NamePart
from backend.services.outline_report import FindingOutline
from backend.text_classes import ProseValue


class FindingList(BaseModel):
    """All findings of a report."""

    items: list[FindingPart]


class DiagnosisList(BaseModel):
    """All diagnoses of a report."""

    items: list[DiagnosisPart]


class NameList(BaseModel):
    """Names of addresses, by address and time."""

    items: list[NamePart]
    total: int
    """How many there are; a report keeps at most 5,000."""


class FindingOutlineList(BaseModel):
    """A page of findings without their marks and tables."""

    items: list[FindingOutline]
    total: int


class FindingRows(BaseModel):
    """A page of one list of a finding: records, or table rows in the order of the columns."""

    items: list[dict[str, ProseValue] | list[ProseValue]]
    total: int
