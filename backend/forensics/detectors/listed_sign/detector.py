"""One finding for each fact that a listing shows, where no capture decides."""

from __future__ import annotations

from dataclasses import dataclass, replace

from backend.forensics.cases.case import Case
from backend.forensics.detection.contract import Detection
from backend.forensics.detection.present import present_case
from backend.forensics.detectors.listed_sign.thresholds import DEFAULT, Thresholds
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kernel.listed_signs.entries import ENTRY_SIGNS
from backend.forensics.evidence.kernel.listed_signs.events import EVENT_SIGNS, fallen_counter_signs, hop_signs
from backend.forensics.evidence.kernel.listed_signs.logs import LOG_SIGNS
from backend.forensics.evidence.kernel.listed_signs.mtu_sizes import MTU_SIGNS
from backend.forensics.evidence.kernel.listed_signs.printed_flows import printed_flow_signs
from backend.forensics.evidence.kernel.listed_signs.probes import PROBE_SIGNS
from backend.forensics.evidence.kernel.listed_signs.receive_load import receive_load_signs
from backend.forensics.evidence.kernel.listed_signs.sign import ListingSign
from backend.forensics.evidence.kernel.listed_signs.socket_states import STATE_SIGNS
from backend.forensics.evidence.kernel.listed_signs.tables import TABLE_SIGNS, rule_signs
from backend.forensics.evidence.kernel.listed_signs.transfers import TRANSFER_SIGNS
from backend.forensics.findings import frame_evidence, line_evidence, plural
from backend.forensics.report import FindingPart

KIND = "listed-sign"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedSign(Case):
    """Of one listing."""

    kind: str = KIND
    topic: str
    command: str


def detect(facts: Facts, thresholds: Thresholds = DEFAULT) -> Detection:
    """Warnings first; nothing beside a capture that was recorded as bytes."""
    dumps = facts.kernel.dumps
    if any(capture.packets and not capture.is_printed for capture in facts.captures):
        return Detection("clear", "with a capture, dumps are evidence for causes and no separate findings")
    if not dumps:
        return Detection("not-checkable", "needs a dump")
    signs = [*rule_signs(dumps, thresholds.rule_packets_least), *hop_signs(dumps, thresholds.judged_hops)]
    readers = (
        *TABLE_SIGNS,
        *MTU_SIGNS,
        *ENTRY_SIGNS,
        *EVENT_SIGNS,
        *LOG_SIGNS,
        *PROBE_SIGNS,
        *STATE_SIGNS,
        *TRANSFER_SIGNS,
    )
    signs += [sign for read in readers for sign in read(dumps)]
    signs += [*fallen_counter_signs(facts.kernel), *receive_load_signs(facts.listed_hosts.hosts)]
    signs += printed_flow_signs(facts.captures)
    if not signs:
        return Detection(
            "clear", f"{plural(len(dumps), 'listing')}; none shows a drop, a refusal or an error"
        )
    signs.sort(key=lambda sign: sign.severity != "warning")
    shown = signs[: thresholds.signs_most]
    found = Detection.of_groups(_case(shown[0]).summary, shown, _case, _present)
    return replace(found, status="found")


def _case(sign: ListingSign) -> ListedSign:
    return ListedSign(
        severity=sign.severity,
        confidence=0.9,
        summary=f"{sign.text} Not shown: {sign.limits}. Next: {sign.command}",
        count=max(1, sign.count),
        evidence=(*line_evidence(sign.lines), *frame_evidence(sign.frames)),
        topic=sign.topic,
        command=sign.command,
    )


def _present(sign: ListingSign, case: ListedSign) -> FindingPart:
    return present_case(case, sign.title)
