"""What causes take from cases: those that do harm, and packets of their first instances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from backend.forensics.cases.case import Case
from backend.forensics.evidence.attempts.delays import Frame
from backend.forensics.findings import frame_evidence
from backend.forensics.report import EvidencePart

C = TypeVar("C", bound=Case)

INSTANCES_SHOWN = 20


def harmful(cases: Sequence[Case], of: type[C]) -> list[C]:
    """Cases of that class that are more than true and harmless."""
    return [case for case in cases if isinstance(case, of) and case.is_harmful]


def first_packets(case: Case) -> list[EvidencePart]:
    """Of the first instances; else everything the case rests on."""
    shown = [frame for one in case.instances[:INSTANCES_SHOWN] for frame in one.packets]
    return frame_evidence(shown) or list(case.evidence)


def frames_of(case: Case) -> frozenset[Frame]:
    """All frames it rests on, for `Hypothesis.explains`."""
    return frozenset((part.input, frame) for part in case.evidence for frame in part.frames or ())
