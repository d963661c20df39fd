"""Detectors as the API shows them."""

from __future__ import annotations

from pydantic import BaseModel


class DetectorRule(BaseModel):
    """One detector."""

    kind: str
    """As in a finding's `kind`."""
    rule: str
    """Its rule with thresholds, Markdown (CommonMark with tables)."""


class CauseRule(BaseModel):
    """One cause that a diagnosis may name."""

    cause: str
    """As in a diagnosis's `cause`."""
    title: str
    page: str
    """Mechanism, look-alikes, evidence to collect, remedies and sources, Markdown (CommonMark)."""


class DetectorList(BaseModel):
    """All of them, without pages."""

    items: list[DetectorRule]


class CauseList(BaseModel):
    """All of them."""

    items: list[CauseRule]
