"""Listings of hping3 and ping as samples: when was a probe sent, and what of it is no stall?"""

from __future__ import annotations

import pytest

from backend.forensics.detectors.rtt_backlog.detector import detect
from backend.forensics.dumps import Dump
from backend.forensics.dumps.probes import Probe, ProbeSeries, ProbeTable
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.evidence.round_trips.printed_trips import USUAL_INTERVAL_NS, printed_trips
from backend.forensics.tests.build_trips import TripBuilder, every, stalled


def listing(
    rtts_ms: list[float | None], sent_ns: list[int] | None = None, interval_s: float | None = None
) -> DumpInput:
    """One run against 10.0.0.2; None for a probe without an answer."""
    probes = [
        Probe(line=n + 2, series=0, sequence=n, sent_ns=sent_ns[n] if sent_ns else None, rtt_ms=rtt)
        for n, rtt in enumerate(rtts_ms)
    ]
    series = ProbeSeries(1, "hping3", "icmp", "server", "10.0.0.2", interval_s=interval_s)
    return DumpInput(
        "probes.txt",
        None,
        Dump("hping3", len(probes) + 1, (), probes=ProbeTable.of(probes), probe_series=(series,)),
    )


def steps(begin_ms: float, count: int, step_ms: float = 10.0) -> list[float | None]:
    """Round trips that fall from probe to probe."""
    return [begin_ms - step_ms * n for n in range(count)]


QUIET: list[float | None] = [0.4] * 40


def facts(*rtts: list[float | None]) -> Facts:
    return gather_facts([], [listing([rtt for part in rtts for rtt in part])])


def test_falling_steps_tell_the_interval() -> None:
    [trips] = printed_trips([listing([*QUIET, *steps(127, 12), *QUIET])])
    assert not trips.timed
    assert int(trips.rows["sent_ns"][1]) == 10_000_000


def test_without_steps_a_second_is_taken() -> None:
    [trips] = printed_trips([listing([*QUIET, 30.0, 80.0, 20.0, 90.0, *QUIET])])
    assert int(trips.rows["sent_ns"][1]) == USUAL_INTERVAL_NS


def test_a_printed_interval_is_taken() -> None:
    [trips] = printed_trips([listing([0.4, 0.4], interval_s=0.2)])
    assert int(trips.rows["sent_ns"][1]) == 200_000_000


def test_printed_times_are_taken() -> None:
    [trips] = printed_trips([listing([0.4, 0.4], sent_ns=[7, 9])])
    assert trips.timed
    assert trips.rows["sent_ns"].tolist() == [7, 9]


def test_unanswered_probes_are_no_samples() -> None:
    [trips] = printed_trips([listing([0.4, None, 0.4])])
    assert len(trips.rows) == 2


def test_a_listing_alone_shows_a_stall() -> None:
    detection = detect(facts(QUIET, steps(127, 12), QUIET))
    [finding] = detection.findings
    assert (finding.severity, finding.count, finding.measures["direction"]) == ("warning", 1, "unknown")
    assert finding.first is None
    assert finding.events[0]["start_s"] == pytest.approx(0.4)
    assert finding.evidence[0].lines[0] == 42
    assert not finding.marks


def test_what_the_first_probe_waits_for_is_no_stall() -> None:
    assert detect(facts(steps(127, 12), QUIET)).status == "clear"
    assert detect(facts(QUIET[:1], steps(127, 12), QUIET)).status == "found"


def test_probes_of_a_capture_do_not_count_twice() -> None:
    capture = TripBuilder().probe(every(10, 3000), stalled((1003.0, 1130.0)))
    both = gather_facts([capture.build()], [listing([*QUIET, *steps(127, 12), *QUIET])])
    assert sum(f.count for f in detect(both).findings) == 1
