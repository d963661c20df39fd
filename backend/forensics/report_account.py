"""Which cause explains how many of the delayed connections: a part of the report."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from backend.forensics.report_evidence import EvidencePart
from backend.text_classes import FixedText, ProseText


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class AccountLinePart(_Part):
    """The delayed connections that one cause explains."""

    cause: FixedText
    title: ProseText = ""
    count: int
    time_lost_s: float


class AccountPart(_Part):
    """Every connection delayed by `threshold_s` or more, counted once: `delayed` is the sum of the counts in
    `explained` and of `unexplained`."""

    threshold_s: float
    delayed: int
    time_lost_s: float
    explained: list[AccountLinePart] = []
    unexplained: int
    unexplained_time_lost_s: float
    unexplained_evidence: list[EvidencePart] = []
    """Frames of the SYNs of the unexplained ones."""
    unexplained_by: list[AccountLinePart] = []
    """What is left of them, by addition: `unknown` for those of its diagnosis, `undecided` for those that other
    diagnoses are about without deciding, `below-threshold` for those at destinations without a notable finding."""
