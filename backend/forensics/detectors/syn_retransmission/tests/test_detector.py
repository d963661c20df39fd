"""What the finding on repeated SYNs says."""

from __future__ import annotations

import pytest

from backend.forensics.detectors.syn_retransmission.detector import detect
from backend.forensics.detectors.syn_retransmission.thresholds import Thresholds
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.path_table import path_table
from backend.forensics.report import FindingPart
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, plain_path

SERVER = "192.0.2.10:80"


def connections(total: int, delayed: int) -> CaptureBuilder:
    capture = CaptureBuilder()
    for number in range(total):
        path = plain_path(f"10.0.0.1:{20_000 + number}", SERVER, "cni0", "eth0")
        at_ns = T0_NS + number * 10 * MS
        if number < delayed:
            capture.retry(at_ns, path, isn=number * 1_000, seen_at=1)
        else:
            capture.connect(at_ns, path, isn=number * 1_000)
    return capture


def finding(total: int, delayed: int) -> FindingPart:
    (found,) = detect(gather_facts([connections(total, delayed).build()], [])).findings
    return found


@pytest.mark.parametrize(
    ("total", "delayed", "severity"),
    [(500, 5, "critical"), (501, 5, "warning"), (5, 5, "critical"), (4, 4, "warning")],
)
def test_critical_takes_five_attempts_and_one_percent(total: int, delayed: int, severity: str) -> None:
    found = finding(total, delayed)
    assert (found.severity, found.count) == (severity, delayed)
    assert found.measures["attempts_total"] == total


def test_the_time_lost_is_the_wait_beyond_the_usual() -> None:
    found = finding(50, 3)
    assert found.time_lost_s == pytest.approx(3 * 1.0, abs=1e-3)
    assert found.measures["connect_usual_s"] == pytest.approx(0.0005, abs=1e-4)
    assert found.measures["schedule"] == "linux-exponential"


def test_every_retry_is_an_event_with_its_frames() -> None:
    found = finding(50, 3)
    assert [event["instance"] for event in found.events] == [1, 2, 3]
    frames = set(found.evidence[0].frames)
    assert all(set(event["frames"]) <= frames for event in found.events)


def test_attempts_that_open_at_once_are_clear() -> None:
    detection = detect(gather_facts([connections(20, 0).build()], []))
    assert (detection.status, detection.findings) == ("clear", ())


def test_an_attempt_nobody_answers_is_reported_as_such() -> None:
    capture = connections(5, 0)
    path = plain_path("10.0.0.1:50000", "192.0.2.99:80", "cni0", "eth0")
    for second in (0, 1, 3):
        capture.syn(T0_NS + second * 1_000 * MS, path, isn=77)
    (found,) = detect(gather_facts([capture.build()], [])).findings
    assert (found.measures["unanswered"], found.measures["established"]) == (1, 0)
    assert found.measures["retransmissions"] == 2
    assert found.time_lost_s == pytest.approx(3.0)


def test_without_packets_nothing_can_be_checked() -> None:
    assert detect(gather_facts([], [])).status == "not-checkable"


@pytest.mark.parametrize(("shown", "findings", "more"), [(3, 3, ""), (2, 2, "1 destination with fewer")])
def test_the_destinations_with_the_most_attempts_have_findings(shown: int, findings: int, more: str) -> None:
    """To three servers: one, two and one attempts whose SYN was lost."""
    capture = CaptureBuilder()
    for number, host in enumerate((1, 2, 2, 3)):
        path = plain_path(f"10.0.0.1:{20_000 + number}", f"192.0.2.{host}:80", "cni0", "eth0")
        capture.retry(T0_NS + number * 10 * MS, path, isn=number * 1_000, seen_at=1)
    detection = detect(gather_facts([capture.build()], []), Thresholds(findings_shown=shown))
    assert [f.count for f in detection.findings] == [1, 2, 1][:findings]
    assert [f.measures["attempts_total"] for f in detection.findings] == [1, 2, 1][:findings]
    assert detection.why.startswith("4 of 4 connection attempts")
    assert more in detection.why
    assert (";" in detection.why) == bool(more)


@pytest.mark.parametrize(("delayed", "told"), [(1_000, 1_000), (1_001, 1_000)])
def test_a_flood_tells_the_first_thousand_and_counts_all(delayed: int, told: int) -> None:
    found = finding(delayed, delayed)
    assert (len(found.events), len(found.tables[0].rows)) == (told, told)
    assert (found.measures["retransmissions"], found.tables[0].rows_total) == (delayed, delayed)


def test_connections_beyond_the_events_belong_to_the_finding_all_the_same() -> None:
    facts = gather_facts([connections(1_010, 1_005).build()], [])
    rows = path_table(facts, detect(facts).findings).to_pylist()
    assert sum(row["finding_ids"] == ["syn-retransmission-1"] for row in rows) == 1_005
    assert sorted(row["instance"] for row in rows if row["instance"]) == list(range(1, 1_001))
    assert {len(row["retry_gaps_s"]) for row in rows if row["finding_ids"]} == {1}
