"""A queue that filled up: what shows it, what refutes it, what cannot be told."""

from __future__ import annotations

import pytest

from backend.forensics.captures import Capture
from backend.forensics.diagnosis.causes.queue_buildup import CAUSE, PRIOR, WEIGHTS
from backend.forensics.diagnosis.causes.tests.build_held import diagnoses, probes, rival
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.evidence.round_trips.queue_signs import RISING, WAITED, QueueLimits, signs
from backend.forensics.tests.build_trips import TripBuilder, every, stalled


def draining(*, burst_bytes: int) -> Capture:
    """Answers that leave a queue one after the other; before them the sender's own bytes, or none."""
    queue = stalled((1003.0, 1165.0), drain_ms=0.063)
    capture = TripBuilder()
    for sent_ms in every(4, 3000):
        sent_bytes = burst_bytes if 1003 <= sent_ms < 1050 else 1000
        capture.add(sent_ms, queue(sent_ms), recent_bytes=sent_bytes)
    return capture.build()


def test_a_burst_before_long_round_trips_shows_it() -> None:
    found = diagnoses([draining(burst_bytes=32_000)])[CAUSE]
    assert found.verdict == "likely"
    assert rival(found, "receive-queue-stall") == "ruled-out"
    assert all(r.check and r.proof and r.undo and r.side_effect for r in found.remedies)
    assert found.missing[0].command


def test_answers_that_all_come_at_once_refute_it() -> None:
    assert CAUSE not in diagnoses([probes().build()])


@pytest.mark.parametrize(
    ("early_ms", "sign"),
    [
        ((), None), ((0.0, 80.0), WAITED), ((60.0, 80.0), WAITED), ((60.0, 70.0, 80.0), RISING),
        ((80.0, 70.0, 60.0), WAITED), ((98.0, 99.0, 100.0), WAITED), ((3.0, 98.0, 99.0), WAITED),
        ((64.0, 60.0, 96.0, 92.0), WAITED),
    ],
)  # fmt: skip
def test_two_requests_that_waited_before_are_no_queue_that_grew(
    early_ms: tuple[float, ...], sign: str | None
) -> None:
    """Round trips of the last requests before those that were delayed for up to 100 ms; 64 and 60 end together."""
    held = stalled((1003.0, 1103.0))
    capture = TripBuilder()
    for number, sent_ms in enumerate(every(4, 3000)):
        early = dict(enumerate(early_ms, 251 - len(early_ms)))
        capture.add(sent_ms, early.get(number) or held(sent_ms), recent_bytes=1000)
    group = max(gather_facts([capture.build()], []).held_groups, key=lambda each: len(each.held))
    found = [each for each in signs(group, None, QueueLimits()) if each in (RISING, WAITED)]
    assert found == ([sign] if sign else [])
    assert WEIGHTS[WAITED][0] + PRIOR < 0 < WEIGHTS[RISING][0] + PRIOR


@pytest.mark.parametrize(("stalls", "explained"), [(1, False), (3, True)])
def test_more_stalls_of_the_same_hosts_explain_what_drained_without_a_burst(
    stalls: int, explained: bool
) -> None:
    """One batch that came slowly after a request that waited, and stalls: a busy CPU releases both.

    How it drained names no queue in either case: nothing shows that traffic filled one."""
    slow = stalled((1003.0, 1165.0), drain_ms=0.25)
    held = stalled(*((3003.0 + 1500 * n, 3150.0 + 1500 * n) for n in range(stalls)))
    capture = TripBuilder()
    for number, sent_ms in enumerate(every(4, 3500 + 1500 * stalls)):
        rtt_ms = 130.0 if number == 250 else max(slow(sent_ms), held(sent_ms))
        capture.add(sent_ms, rtt_ms, recent_bytes=1000)
    found = diagnoses([capture.build()])
    assert found["receive-queue-stall"].figures[1].value == str(stalls)
    assert found[CAUSE].confidence < 0.5
    assert any("without a sign of a queue" in text for text in found[CAUSE].contradicting) is explained


def test_a_gentle_slope_alone_does_not_tell() -> None:
    found = diagnoses([draining(burst_bytes=1000)])
    kept = found.get(CAUSE) or found["receive-queue-stall"]
    assert kept.verdict == "possible"
    other = "receive-queue-stall" if kept.cause == CAUSE else "host-stall"
    assert rival(kept, other) == "cannot-tell"
