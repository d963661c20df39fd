"""The time that an investigation's connections, lookups and requests lost, each counted once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from backend.forensics.report import DiagnosisPart, FindingPart

SAME_DELAY_SHARE = 0.5
"""A finding with so many of its frames in diagnosed findings describes delays that are counted with these."""


def total_lost_s(diagnoses: Sequence[DiagnosisPart], findings: Sequence[FindingPart]) -> float:
    """Seconds: of diagnoses that rest on the same findings together no more than these lost, and of the findings on
    which none rests all, unless they describe the same packets."""
    known = {finding.id: finding for finding in findings}
    total = sum(_lost_s(group, known) for group in _sharing_findings(diagnoses))
    # Undecided diagnoses alone count nothing; beside others what they leave is in these.
    explained = {name for each in diagnoses for name in each.findings} if total else set()
    explained_frames = {frame for name in explained if name in known for frame in _frames(known[name])}
    total += sum(
        f.time_lost_s for f in findings if f.id not in explained and not _is_explained(f, explained_frames)
    )
    return round(total, 6)


def _sharing_findings(diagnoses: Iterable[DiagnosisPart]) -> list[list[DiagnosisPart]]:
    groups: list[list[DiagnosisPart]] = []
    for each in diagnoses:
        names = set(each.findings)
        shared = [group for group in groups if any(not names.isdisjoint(other.findings) for other in group)]
        groups = [group for group in groups if group not in shared]
        groups.append([*(other for group in shared for other in group), each])
    return groups


def _lost_s(group: Sequence[DiagnosisPart], known: dict[str, FindingPart]) -> float:
    """Alternatives may each claim all of a finding's time. An undecided diagnosis adds nothing to a decided one."""
    counted = [each for each in group if each.verdict != "cannot-tell"] or group
    names = {name for each in group for name in each.findings}
    found_s = sum(known[name].time_lost_s for name in names if name in known)
    claimed_s = [each.time_lost_s for each in counted]
    return min(sum(claimed_s), max(found_s, *claimed_s))


def _frames(finding: FindingPart) -> set[tuple[str, int]]:
    return {(part.input, number) for part in finding.evidence for number in part.frames}


def _is_explained(finding: FindingPart, explained_frames: set[tuple[str, int]]) -> bool:
    frames = _frames(finding)
    return bool(frames) and len(frames & explained_frames) >= SAME_DELAY_SHARE * len(frames)
