"""What is looked for, in the words of the rules."""

from __future__ import annotations

from fastapi import APIRouter

from backend.api.schemas.detectors import DetectorList, DetectorRule
from backend.forensics.detection.discovery import discover_detectors

router = APIRouter(tags=["detectors"])


@router.get("/detectors")
def list_detectors() -> DetectorList:
    """Every detector with its rule: what it finds and does not claim, thresholds, look-alikes."""
    return DetectorList(
        items=[DetectorRule(kind=found.kind, rule=found.rule_text) for found in discover_detectors()]
    )
