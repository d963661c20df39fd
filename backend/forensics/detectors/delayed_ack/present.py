"""How the report shows a case of delayed ACKs."""

from __future__ import annotations

from backend.forensics.cases.delayed_ack import DelayedAck
from backend.forensics.detection.present import draw_instances, event_with_packets, present_case
from backend.forensics.detectors.delayed_ack.thresholds import Thresholds
from backend.forensics.findings import seconds_text
from backend.forensics.report import FindingPart


def present(case: DelayedAck, thresholds: Thresholds) -> FindingPart:
    """With a bracket for each held write."""
    return present_case(
        case,
        f"Nagle / delayed-ACK interaction on connections to {case.server}",
        events=[event_with_packets(one) for one in case.instances],
        marks=draw_instances(
            case.instances[: thresholds.marked],
            "bracket",
            "stall",
            label=lambda one: f"write delayed by {seconds_text(one.seconds)}",
            value=lambda one: one.seconds,
        ),
    )
