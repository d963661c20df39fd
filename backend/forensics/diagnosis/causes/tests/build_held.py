"""Held answers seen at both ends: where they were held, and what the diagnosis says of it."""

from __future__ import annotations

from typing import Final, Literal

from backend.forensics.captures import Capture
from backend.forensics.detection.run import run_detectors
from backend.forensics.diagnosis.run import diagnose
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.report import DiagnosisPart
from backend.forensics.round_trips import SYN_ANSWERED
from backend.forensics.tests.build_trips import USUAL_MS, TripBuilder, every, stalled

Where = Literal["forth", "beyond", "back"]
STALLS: Final = ((1003.0, 1130.0), (2507.0, 2600.0), (4001.0, 4141.0))
Stalls = tuple[tuple[float, float], ...]


def probes(
    name: str = "sender.pcap", *, queues: int = 1, stalls: Stalls = STALLS, usual_ms: float = USUAL_MS
) -> TripBuilder:
    """Echoes and SYNs every 10 ms; with several queues the SYNs of seven ports in eight are answered at once."""
    held = stalled(*stalls, usual_ms=usual_ms)
    until_ms = stalls[-1][1] + 2000
    capture = TripBuilder(name).probe(every(10, until_ms), held)
    for number, sent_ms in enumerate(every(10, until_ms, 4.0)):
        rtt_ms = held(sent_ms) if queues == 1 or number % 8 == 3 else usual_ms
        capture.add(sent_ms, rtt_ms, kind=SYN_ANSWERED, port=10_000 + number)
    return capture


def both_ends(
    where: Where,
    *,
    clock_ms: float = 0.0,
    turnaround_ms: float = 0.02,
    apart_ms: float = 1.0,
    stalls: Stalls = STALLS,
) -> list[Capture]:
    """The prober's capture and the responder's."""
    held = stalled(*stalls, usual_ms=0.0)

    def at_responder(sent_ms: float) -> float:
        return turnaround_ms + (held(sent_ms) if where == "beyond" else 0.0)

    def on_the_way(sent_ms: float) -> float:
        return apart_ms + (held(sent_ms) if where == "forth" else 0.0)

    usual_ms = 2 * apart_ms + turnaround_ms
    far = probes("receiver.pcap", usual_ms=usual_ms, stalls=stalls)
    return [
        probes(usual_ms=usual_ms, stalls=stalls).build(),
        far.build(clock_ms=clock_ms, shorter=at_responder, later=on_the_way),
    ]


def diagnoses(captures: list[Capture], *dumps: DumpInput) -> dict[str, DiagnosisPart]:
    """By cause."""
    facts = gather_facts(captures, list(dumps))
    return {d.cause: d for d in diagnose(facts, run_detectors(facts).cases).diagnoses}


def rival(diagnosis: DiagnosisPart, cause: str) -> str:
    """Status of a rival."""
    return next(r.status for r in diagnosis.rivals if r.cause == cause)
