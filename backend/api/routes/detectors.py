"""What is looked for, in the words of the rules, and what may be named as its cause."""

from __future__ import annotations

from fastapi import APIRouter

from backend.api.schemas.detectors import CauseList, CauseRule, DetectorList, DetectorRule
from backend.forensics.detection.discovery import discover_detectors
from backend.forensics.diagnosis.cause_pages import list_pages

router = APIRouter(tags=["detectors"])


@router.get("/detectors")
def list_detectors() -> DetectorList:
    """Every detector with its rule: what it finds and does not claim, thresholds, look-alikes."""
    return DetectorList(
        items=[DetectorRule(kind=found.kind, rule=found.rule_text) for found in discover_detectors()]
    )


@router.get("/causes")
def list_causes() -> CauseList:
    """Every cause with its page: mechanism, look-alikes, evidence to collect, remedies, sources."""
    return CauseList(
        items=[
            CauseRule(cause=each.cause, title=each.title, page=each.as_markdown()) for each in list_pages()
        ]
    )
