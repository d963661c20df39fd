"""Which tuple counts as reused, and which attempt as one that suffered."""

from __future__ import annotations

import pytest

from backend.forensics.detectors.port_reuse.detector import detect
from backend.forensics.dumps import ConntrackEntry, ConntrackTable, ConntrackTuple, Dump
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.evidence.nat.port_reuse import ANSWER_WAIT_NS, REUSE_WINDOW_NS
from backend.forensics.packets import RST, SYN
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, Hop, S, plain_path

SERVER = "192.0.2.10:80"
PATH = plain_path("10.0.0.1:40000", SERVER, "cni0", "eth0")
LATE_NS = T0_NS + 400 * S


def reused(capture: CaptureBuilder, dumps: list[DumpInput] | None = None) -> tuple[int, int]:
    """(attempts on reused tuples, those that suffered)."""
    reuse = facts(capture, dumps).port_reuse
    return int(reuse.reused.sum()), int((reuse.reused & reuse.suffered).sum())


def facts(capture: CaptureBuilder, dumps: list[DumpInput] | None = None) -> Facts:
    capture.connect(LATE_NS, plain_path("10.0.0.9:50000", SERVER, "cni0", "eth0"), isn=1)
    return gather_facts([capture.build()], dumps or [])


@pytest.mark.parametrize(("beyond_ns", "expected"), [(0, (1, 1)), (MS, (0, 0))])
def test_a_tuple_is_fresh_again_after_the_window(beyond_ns: int, expected: tuple[int, int]) -> None:
    capture = CaptureBuilder()
    capture.connect(T0_NS, PATH, isn=10)
    used = facts(capture)
    end_ns = int(used.captures[0].connections["last_ns"][0])
    capture = CaptureBuilder()
    capture.connect(T0_NS, PATH, isn=10)
    capture.retry(end_ns + REUSE_WINDOW_NS + beyond_ns, PATH, isn=5_000_000, seen_at=1)
    assert reused(capture) == expected


def test_several_vantage_points_count_once() -> None:
    capture = CaptureBuilder()
    capture.connect(T0_NS, PATH, isn=10)
    capture.retry(T0_NS + S, PATH, isn=5_000_000, seen_at=2)
    assert reused(capture) == (1, 1)


def test_a_tuple_that_only_the_retry_received_does_not_count() -> None:
    capture = CaptureBuilder()
    outer = "198.51.100.1"
    old = [Hop("cni0", 0, "10.0.0.1:40000", SERVER), Hop("eth0", 20_000, f"{outer}:20001", SERVER)]
    lost = [Hop("cni0", 0, "10.0.0.1:40001", SERVER), Hop("eth0", 20_000, f"{outer}:20002", SERVER)]
    again = [Hop("cni0", 0, "10.0.0.1:40001", SERVER), Hop("eth0", 20_000, f"{outer}:20001", SERVER)]
    capture.connect(T0_NS, old, isn=10)
    capture.retry(T0_NS + S, lost, isn=5_000_000, seen_at=2, again=again)
    assert reused(capture) == (0, 0)


def test_a_port_used_before_by_an_attempt_that_never_opened_is_fresh() -> None:
    capture = CaptureBuilder()
    capture.syn(T0_NS, PATH, isn=10)
    capture.retry(T0_NS + 5 * S, PATH, isn=5_000_000, seen_at=1)
    assert reused(capture) == (0, 0)


def test_behind_an_unanswered_attempt_the_connection_before_it_still_counts() -> None:
    capture = CaptureBuilder()
    capture.connect(T0_NS, PATH, isn=10)
    capture.syn(T0_NS + S, PATH, isn=1_000_000)
    capture.retry(T0_NS + 5 * S, PATH, isn=5_000_000, seen_at=1)
    assert reused(capture) == (2, 2)


def test_a_connection_begun_before_the_capture_counts_as_earlier() -> None:
    capture = CaptureBuilder()
    capture.packet("cni0", T0_NS, "10.0.0.1:40000", SERVER, tcp_flags=RST, sequence=5)
    capture.retry(T0_NS + S, PATH, isn=5_000_000, seen_at=1)
    assert reused(capture) == (1, 1)


def test_a_refused_attempt_was_answered() -> None:
    capture = CaptureBuilder(places=("cni0",))
    capture.connect(T0_NS, PATH, isn=10)
    capture.syn(T0_NS + S, PATH[:1], isn=5_000_000)
    capture.packet("cni0", T0_NS + S + MS, SERVER, "10.0.0.1:40000", tcp_flags=RST, sequence=5)
    assert reused(capture) == (1, 0)


@pytest.mark.parametrize(("short_ns", "suffered"), [(0, 1), (1, 0)])
def test_a_syn_at_the_end_of_the_recording_proves_nothing(short_ns: int, suffered: int) -> None:
    capture = CaptureBuilder(places=("cni0",))
    capture.connect(T0_NS, PATH[:1], isn=10)
    capture.syn(T0_NS + S, PATH[:1], isn=5_000_000)
    end_ns = T0_NS + S + ANSWER_WAIT_NS - short_ns
    found = gather_facts([capture.build(recorded={"cni0": (T0_NS, end_ns)})], []).port_reuse
    assert int((found.reused & found.suffered).sum()) == suffered


def test_equal_tuples_in_two_vlans_are_two_tuples() -> None:
    capture = CaptureBuilder(places=("cni0",))
    for at_ns, vlan, isn in ((T0_NS, 10, 10), (T0_NS + S, 20, 5_000_000)):
        capture.packet(
            "cni0", at_ns, "10.0.0.1:40000", SERVER, tcp_flags=SYN, sequence=isn, ip_id=isn, vlan=vlan
        )
    assert reused(capture) == (0, 0)


@pytest.mark.parametrize(
    ("state", "taken_ns", "timeout_s", "expected"),
    [
        ("TIME_WAIT", T0_NS - 10 * S, 60, (1, 1)),
        ("ESTABLISHED", T0_NS - 10 * S, 60, (0, 0)),
        ("TIME_WAIT", T0_NS - 10 * S, 9, (0, 0)),
        ("TIME_WAIT", T0_NS + 1, 60, (0, 0)),
    ],
)
def test_a_dump_shows_tuples_that_are_still_held(
    state: str, taken_ns: int, timeout_s: int, expected: tuple[int, int]
) -> None:
    original = ConntrackTuple("10.0.0.1", "192.0.2.10", 40_000, 80)
    reply = ConntrackTuple("192.0.2.10", "10.0.0.1", 80, 40_000)
    entry = ConntrackEntry(4, "tcp", state, timeout_s, original, reply, ("ASSURED",))
    dump = Dump("conntrack-list", 9, (), taken_ns, "text", entries=ConntrackTable.of([entry]))
    capture = CaptureBuilder()
    capture.retry(T0_NS, PATH, isn=5_000_000, seen_at=1)
    dumps = [DumpInput("list.txt", None, dump)]
    assert reused(capture, dumps) == expected
    evidence = [p for f in detect(facts(capture, dumps)).findings for p in f.evidence]
    assert [p.lines for p in evidence if p.lines] == [[4]] * expected[0]


def test_nothing_is_said_without_packets() -> None:
    assert detect(gather_facts([], [])).status == "not-checkable"
