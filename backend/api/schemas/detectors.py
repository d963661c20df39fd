"""Detectors as the API shows them."""

from __future__ import annotations

from pydantic import BaseModel


class DetectorRule(BaseModel):
    """One detector."""

    kind: str
    """As in a finding's `kind`."""
    rule: str
    """Its rule with thresholds, Markdown (CommonMark with tables)."""


class DetectorList(BaseModel):
    """All of them; there are never so many that they need pages."""

    items: list[DetectorRule]
