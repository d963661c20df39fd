"""The capture lost so many packets that a packet absent from it may have been sent: where SYNs were lost is unknown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from backend.forensics.cases.case import Case
from backend.forensics.diagnosis.alternatives import Alternative
from backend.forensics.diagnosis.contract import Hypothesis, Weighed
from backend.forensics.evidence.clocks.capture_quality import count_holes
from backend.forensics.evidence.facts import Facts
from backend.forensics.findings import frame_evidence, plural
from backend.forensics.report import MissingPart, RemedyPart
from backend.forensics.wording import percent

CAUSE = "capture-too-lossy"
TITLE = "Packets missing from the capture"
ALTERNATIVES: Final = (
    Alternative(
        "Packet loss on the path",
        "a lost segment is retransmitted; one that the capture alone missed is acknowledged without having been seen",
    ),
    Alternative(
        "A snap length or filter that is too narrow",
        "its gaps are the same from the first packet on; drops of a capture come in bursts with its load",
    ),
)
PRIOR = -2.0
"""Most captures are whole; holes must show in them."""
MUCH_RATIO = 0.01
"""From one packet in a hundred on, a SYN or its answer is likely to be among a few dozen handshakes that are judged."""

REFERENCES = (
    "RFC 9293 section 3.4: an ACK acknowledges data that must have passed",
    "pcapng: Interface Statistics Block, isb_osdrop and isb_ifdrop",
)


def assess(facts: Facts, findings: Sequence[Case]) -> list[Hypothesis]:
    """Only where lost SYNs are judged by absence and the capture has holes. It explains no delay."""
    if not facts.losses or not facts.quality.lossy:
        return []
    return [_hypothesis(facts, findings)]


def _hypothesis(facts: Facts, findings: Sequence[Case]) -> Hypothesis:
    pieces = _pieces(facts)
    concerned = tuple(f.id for f in findings if f.kind in ("syn-retransmission", "capture-loss"))
    return Hypothesis(
        cause=CAUSE,
        title=TITLE,
        role="neutral",
        statement=(
            f"{plural(len(facts.losses), 'lost SYN')} cannot be located reliably: packets are missing from "
            "the capture, so an absent packet may have been sent."
        ),
        prior=PRIOR,
        steps=(),
        weighed=tuple(pieces),
        both_sides=False,
        independent=bool(facts.quality.dropped),
        signs=int(bool(facts.quality.dropped)),
        findings=concerned,
        time_lost_s=0.0,
        missing=(_AGAIN,),
        remedies=_REMEDIES,
        references=REFERENCES,
        refutation="it would be refuted by a capture without ACKs for uncaptured data",
        figures=(("ACKs for uncaptured data", f"{facts.quality.lost_segments:,}"),),
    )


def _pieces(facts: Facts) -> list[Weighed]:
    quality = facts.quality
    frames = frame_evidence(
        (p.input, int(frame)) for p in facts.attempts.places for frame in _frames(facts, p.capture, p.index)
    )
    pieces = []
    if quality.lost_segments:
        ratio = quality.lost_ratio
        text = (
            f"{quality.lost_segments:,} ACKs acknowledge uncaptured data, of {quality.data_segments:,} "
            f"data segments ({percent(ratio)})."
        )
        weight = 3.0 if ratio >= MUCH_RATIO else 1.6
        pieces.append(
            Weighed(weight, text, frames, "acknowledged data was delivered, so the capture missed it")
        )
    if quality.dropped:
        text = f"{quality.dropped:,} packets were dropped by the capture, by its own counters."
        evidence = frames or frame_evidence([(facts.captures[0].name, 1)])
        pieces.append(Weighed(2.0, text, evidence, "counted by the kernel or the driver"))
    return pieces


def _frames(facts: Facts, capture: int, vantage: int) -> list[int]:
    table = facts.captures[capture].connections
    holes = table[(table["vantage"] == vantage) & (count_holes(facts.captures[capture]) > 0)]
    return [int(frame) for frame in holes["first_frame"][:100]]


_AGAIN = MissingPart(
    what="The same capture without drops: headers only, a larger buffer, only the hosts in question",
    command="tcpdump -i any -y LINUX_SLL2 -s 96 -B 65536 -w again.pcap 'tcp and host HOST'",
)
_REMEDIES = (
    RemedyPart(
        what="Capture again: headers only, a larger buffer, a filter, and write to a fast disk",
        command=_AGAIN.command,
        applies_to="the capture",
        check="the line 'packets dropped by kernel' that tcpdump prints when it ends",
        proof="0 packets dropped by kernel, and no ACK for uncaptured data",
        undo="not needed",
        side_effect="96 bytes per packet hold headers only, no payload",
        versions=None,
    ),
)
