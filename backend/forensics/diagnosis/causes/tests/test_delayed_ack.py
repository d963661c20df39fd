"""Nagle and delayed ACKs: what shows it, what leaves it open, what is none."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from backend.forensics.cases.delayed_ack import DelayedAck
from backend.forensics.detection.run import run_detectors
from backend.forensics.diagnosis.causes.delayed_ack import CAUSE, _hypothesis
from backend.forensics.diagnosis.contract import conclude
from backend.forensics.diagnosis.run import diagnose
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.report import DiagnosisPart
from backend.forensics.tests.build_writes import talk


def diagnoses(**how: Any) -> dict[str, DiagnosisPart]:
    facts = gather_facts([talk(**how)], [])
    detected = run_detectors(facts)
    return {d.cause: d for d in diagnose(facts, detected.cases).diagnoses}


def test_writes_that_wait_for_the_timer_show_it() -> None:
    found = diagnoses(held_ms=44.0)[CAUSE]
    assert found.verdict == "likely"
    assert (
        found.statement
        == "30 writes of the client on connections to 192.0.2.10:6379 waited 44 ms (median) for a delayed ACK."
    )
    assert {rival.status for rival in found.rivals} == {"ruled-out"}
    assert all(r.check and r.proof and r.undo and r.side_effect for r in found.remedies)


def test_each_sign_less_makes_it_less_sure() -> None:
    facts = gather_facts([talk()], [])
    (finding,) = (f for f in run_detectors(facts).cases if isinstance(f, DelayedAck))
    whole = conclude(_hypothesis(finding)).confidence
    few = conclude(_hypothesis(replace(finding, count=9))).confidence
    assert few < whole


def test_a_long_path_is_not_explained_by_it() -> None:
    assert CAUSE not in diagnoses(round_trip_ms=40.0, held_ms=40.4)


def test_little_time_is_nobody_s_cause() -> None:
    assert CAUSE not in diagnoses(connections=1, writes=6)
