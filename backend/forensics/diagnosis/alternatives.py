"""Other explanations with the same symptom, as a cause's page lists them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Alternative:
    """`difference` is what a capture, a listing or a counter shows otherwise, in a clause without a full stop."""

    title: str
    difference: str
