"""A receive queue that is not emptied: what shows it, what refutes it, what cannot be told."""

from __future__ import annotations

import math

import pytest

from backend.forensics.detectors.rtt_backlog.detector import detect
from backend.forensics.diagnosis.causes.receive_queue_stall import CAUSE
from backend.forensics.diagnosis.causes.tests.build_held import (
    STALLS,
    Where,
    both_ends,
    diagnoses,
    probes,
    rival,
)
from backend.forensics.dumps import CounterRow, Dump, PacketProcess
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.tests.build_trips import TripBuilder, every, stalled


def squeezed(times: int) -> list[DumpInput]:
    """Two dumps of softnet_stat in which time_squeeze rises."""

    def read(number: int, value: int) -> DumpInput:
        row = CounterRow(1, 0, {"time_squeeze": value})
        return DumpInput(
            f"softnet-{number}", None, Dump("softnet-stat", 1, (), 10**18 + number, "text", counters=(row,))
        )

    return [read(0, 5), read(1, 5 + times)]


@pytest.mark.parametrize(("where", "host"), [("forth", "10.0.0.2"), ("back", "10.0.0.1")])
def test_captures_of_both_ends_show_whose_queue_it_is(where: Where, host: str) -> None:
    found = diagnoses(both_ends(where))[CAUSE]
    assert found.verdict == "likely"
    assert f"A receive queue of {host} " in found.statement
    assert len(found.statement) <= 160
    assert rival(found, "host-stall") == rival(found, "queue-buildup") == "ruled-out"
    assert all(r.check and r.proof and r.undo and r.side_effect for r in found.remedies)


@pytest.mark.parametrize("clock_ms", [0.0, 350.0, -4000.0])
def test_the_direction_needs_no_common_clock(clock_ms: float) -> None:
    [finding] = detect(gather_facts(both_ends("forth", clock_ms=clock_ms), [])).findings
    assert (finding.count, finding.measures["direction"]) == (3, "request path")


@pytest.mark.parametrize(("apart_ms", "verdict"), [(1.49, "likely"), (1.51, "possible")])
def test_over_a_long_path_any_device_of_it_may_have_stalled(apart_ms: float, verdict: str) -> None:
    far = both_ends("forth", apart_ms=apart_ms)
    found = diagnoses(far)[CAUSE]
    assert found.verdict == verdict
    assert (found.confidence < 0.5) == (verdict == "possible")
    assert any("between the two" in m.what for m in found.missing) == (verdict == "possible")
    assert diagnoses(far, *squeezed(4))[CAUSE].confidence > 0.5


@pytest.mark.parametrize(("stalls", "verdict"), [(2, "possible"), (3, "likely")])
def test_two_stalls_may_be_those_of_a_device_between_the_two_hosts(stalls: int, verdict: str) -> None:
    captures = both_ends("forth", stalls=STALLS[:stalls])
    found = diagnoses(captures)[CAUSE]
    assert found.verdict == verdict
    assert any("between the two" in m.what for m in found.missing) == (verdict == "possible")
    assert diagnoses(captures, *squeezed(4))[CAUSE].confidence > 0.5


def test_softirqs_that_ran_out_of_time_make_it_certain() -> None:
    assert diagnoses(both_ends("forth"), *squeezed(4))[CAUSE].verdict == "confirmed"
    assert diagnoses(both_ends("forth"), *squeezed(0))[CAUSE].verdict == "likely"


def test_from_one_end_it_is_possible() -> None:
    found = diagnoses([probes().build()])[CAUSE]
    assert found.verdict == "possible"
    assert found.confidence <= 0.5
    assert rival(found, "host-stall") == "cannot-tell"
    assert any("tcpdump" in m.command for m in found.missing)


def test_flows_that_were_not_held_show_one_of_several_queues() -> None:
    found = diagnoses([probes(queues=8).build()])[CAUSE]
    assert found.verdict == "likely"
    assert rival(found, "host-stall") == "ruled-out"
    assert any("other flows" in text for text in found.supporting)


def test_stalls_at_a_fixed_interval_point_at_a_poller() -> None:
    stalls = tuple((1003.0 + 1700 * n, 1103.0 + 1700 * n) for n in range(12))
    found = diagnoses([probes(stalls=stalls).build()])[CAUSE]
    assert any("every 1.7 s" in text for text in found.supporting)


def test_questions_held_behind_the_responders_capture_point_are_another_cause() -> None:
    assert CAUSE not in diagnoses(both_ends("beyond"))


def test_a_burst_of_the_sender_is_another_cause() -> None:
    queue = stalled((1003.0, 1165.0), drain_ms=0.063)
    capture = TripBuilder()
    for sent_ms in every(4, 3000):
        capture.add(sent_ms, queue(sent_ms), recent_bytes=32_000 if 1003 <= sent_ms < 1050 else 1000)
    found = diagnoses([capture.build()])
    assert CAUSE not in found
    assert found["queue-buildup"].verdict == "likely"
    assert rival(found["queue-buildup"], CAUSE) == "ruled-out"


def who_took_echoes(blocking: str) -> DumpInput:
    """A kernel probe's listing in which `blocking` runs when the first held echo of each stall is taken."""
    first = {math.ceil(begin / 10) for begin, _ in STALLS}
    rows = tuple(PacketProcess(n + 2, 1, 1, blocking if n in first else "swapper/3", n) for n in range(600))
    return DumpInput("probe.txt", None, Dump("packet-processes", 601, (), packet_processes=rows))


def test_a_listing_that_names_one_process_at_every_drain_makes_it_certain() -> None:
    found = diagnoses(both_ends("forth"), who_took_echoes("cadvisor"))[CAUSE]
    assert found.verdict == "confirmed"
    assert any(
        text.startswith("cadvisor was interrupted by the first held packet at 3") for text in found.supporting
    )
    assert "cadvisor" in found.remedies[0].what


def test_a_listing_of_an_idle_cpu_names_nobody() -> None:
    found = diagnoses(both_ends("forth"), who_took_echoes("swapper/3"))[CAUSE]
    assert found.verdict == "likely"
    assert any("bpftrace" in missing.command for missing in found.missing)
