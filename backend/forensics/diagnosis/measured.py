"""What causes read from a finding: its numbers, its server, frames of its first events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from backend.forensics.cases.case import Case
from backend.forensics.evidence.delays import Frame
from backend.forensics.findings import frame_evidence
from backend.forensics.report import EvidencePart

C = TypeVar("C", bound=Case)

EVENTS_SHOWN = 20


def loud(findings: Sequence[Case], kind: str) -> list[Case]:
    """Findings of that kind that are more than true and harmless."""
    return [f for f in findings if f.kind == kind and f.severity != "info"]


def harmful(cases: Sequence[Case], of: type[C]) -> list[C]:
    """Cases of that class that are more than true and harmless."""
    return [case for case in cases if isinstance(case, of) and case.is_harmful]


def first_packets(case: Case) -> list[EvidencePart]:
    """Of the first instances; else everything the case rests on."""
    shown = [frame for one in case.instances[:EVENTS_SHOWN] for frame in one.packets]
    return frame_evidence(shown) or list(case.evidence)


def number(finding: Case, name: str) -> float:
    """A measure, 0 where it is not known."""
    value = finding.part.measures.get(name)
    return float(value) if isinstance(value, int | float) else 0.0


def server_of(finding: Case) -> str:
    """``192.0.2.10:443``, whom the finding is about."""
    return finding.target


def frames_of(finding: Case) -> frozenset[Frame]:
    """All frames it rests on, for `Hypothesis.explains`."""
    return frozenset((part.input, frame) for part in finding.evidence for frame in part.frames or ())


def first_frames(finding: Case) -> list[EvidencePart]:
    """Of the first events, which name `input` and `frames`; else everything the finding rests on."""
    shown = [e for e in finding.part.events[:EVENTS_SHOWN] if "frames" in e]
    return frame_evidence([(str(e["input"]), int(f)) for e in shown for f in e["frames"]]) or list(
        finding.evidence
    )
