"""The whole chain on evidence that holds little or nothing, and in any order."""

from __future__ import annotations

import itertools

from backend.forensics.analyze import analyse_evidence
from backend.forensics.captures import Capture
from backend.forensics.dumps import CounterRow, Dump
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.packets import UDP
from backend.forensics.path_table import path_table
from backend.forensics.report import Report
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, plain_path


def analyse(captures: list[Capture], dumps: list[DumpInput] | None = None) -> Report:
    found = analyse_evidence(captures, dumps or [], [], label="x", created="2026", tool_version="0")
    path_table(found.facts, found.report.findings)
    return found.report


def stats(name: str, failed: int) -> DumpInput:
    row = CounterRow(1, 0, {"insert_failed": failed})
    return DumpInput(name, None, Dump("conntrack-stats", 1, (), counters=(row,)))


def statuses(report: Report) -> dict[str, str]:
    return {part.kind: part.status for part in report.checked}


def test_an_empty_capture_gives_a_report_that_says_nothing_could_be_checked() -> None:
    report = analyse([CaptureBuilder().build()])
    assert (report.findings, report.diagnoses) == ([], [])
    assert set(statuses(report).values()) == {"not-checkable"}


def test_nothing_at_all_gives_a_report() -> None:
    assert set(statuses(analyse([])).values()) == {"not-checkable"}


def test_dumps_alone_name_no_cause_and_say_why() -> None:
    report = analyse([], [stats("a.txt", 3), stats("b.txt", 32)])
    assert report.diagnoses == []
    (counters,) = report.findings
    assert (counters.severity, counters.title) == ("info", "Counters of drops are not 0")
    why = {part.kind: part.why for part in report.checked}["syn-retransmission"]
    assert "needs a capture" in why


def test_repeated_syns_are_not_applicable_to_a_capture_of_udp_alone() -> None:
    capture = CaptureBuilder()
    for number in range(5):
        place = capture.places[number % 2]
        source = f"10.0.0.1:{5_000 + number}"
        capture.packet(place, T0_NS + number * MS, source, "10.0.0.2:53", protocol=UDP)
    report = analyse([capture.build()])
    assert report.findings == []
    assert statuses(report)["syn-retransmission"] == "not-checkable"


def test_the_report_does_not_depend_on_the_order_of_the_files() -> None:
    files = [CaptureBuilder("pod.pcap", ("cni0",)), CaptureBuilder("node.pcap", ("eth0",))]
    for capture in files:
        for number in range(6):
            path = plain_path(f"10.0.0.1:{30_000 + number}", "192.0.2.10:80", "cni0", "eth0")
            at_ns = T0_NS + number * 300 * MS
            if number in (2, 3):
                capture.retry(at_ns, path, isn=number, seen_at=number - 1)
            else:
                capture.connect(at_ns, path, isn=number)
    captures = [capture.build() for capture in files]
    dumps = [stats("a.txt", 3), stats("b.txt", 32), stats("c.txt", 12)]
    texts = {
        analyse(list(some), list(others)).model_dump_json(by_alias=True)
        for some in itertools.permutations(captures)
        for others in itertools.permutations(dumps)
    }
    assert len(texts) == 1


def test_ipv6_connections_are_joined_and_named() -> None:
    capture = CaptureBuilder()
    capture.connect(T0_NS, plain_path("[fd00::1]:40000", "[fd00::9]:80", "cni0", "eth0"), isn=5)
    path = plain_path("[fd00::1]:40001", "[fd00::9]:80", "cni0", "eth0")
    capture.retry(T0_NS + MS, path, isn=900, seen_at=1)
    (finding,) = analyse([capture.build()]).findings
    assert finding.title.endswith("[fd00::9]:80")
    assert finding.measures["lost_at"] == ["between cni0 and eth0: 1"]
