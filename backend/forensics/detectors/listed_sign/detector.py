"""One finding for each fact that a listing shows, where no capture decides."""

from __future__ import annotations

from backend.forensics.detection.contract import Detection
from backend.forensics.detectors.listed_sign.thresholds import DEFAULT, Thresholds
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.listed_signs.events import EVENT_SIGNS, fallen_counter_signs, hop_signs
from backend.forensics.evidence.listed_signs.sign import ListingSign
from backend.forensics.evidence.listed_signs.tables import TABLE_SIGNS, rule_signs
from backend.forensics.findings import line_evidence, plural
from backend.forensics.report import FindingPart

KIND = "listed-sign"


def detect(facts: Facts, thresholds: Thresholds = DEFAULT) -> Detection:
    """Warnings first; nothing beside a capture that was recorded as bytes."""
    dumps = facts.kernel.dumps
    if any(capture.packets and not capture.is_printed for capture in facts.captures):
        return Detection(
            "clear", "beside a capture listings are evidence for causes, and no findings of their own"
        )
    if not dumps:
        return Detection("not-checkable", "needs a listing")
    signs = [*rule_signs(dumps, thresholds.rule_packets_least), *hop_signs(dumps, thresholds.judged_hops)]
    signs += [sign for read in (*TABLE_SIGNS, *EVENT_SIGNS) for sign in read(dumps)]
    signs += fallen_counter_signs(facts.kernel)
    if not signs:
        return Detection(
            "clear", f"{plural(len(dumps), 'listing')}; none shows a drop, a refusal or an error"
        )
    signs.sort(key=lambda sign: sign.severity != "warning")
    findings = [_finding(sign, number) for number, sign in enumerate(signs[: thresholds.signs_most], 1)]
    return Detection("found", findings[0].summary, tuple(findings))


def _finding(sign: ListingSign, number: int) -> FindingPart:
    return FindingPart(
        id=f"{KIND}-{number}",
        kind=KIND,
        severity=sign.severity,
        confidence=0.9,
        title=sign.title,
        summary=f"{sign.text} Not shown: {sign.limits}. Next: {sign.command}",
        count=max(1, sign.count),
        first=None,
        last=None,
        time_lost_s=0.0,
        measures={"topic": sign.topic, "command": sign.command},
        evidence=line_evidence(sign.lines),
    )
