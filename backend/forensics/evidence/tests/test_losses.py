"""Where a SYN was last seen, whose clock says when, and who was its rival."""

from __future__ import annotations

from dataclasses import replace

import pytest

from backend.forensics.captures import Capture
from backend.forensics.evidence.absence.losses import HELD, UNKNOWN_PLACE
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.packets import ACK, SYN
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, Hop, S, plain_path

CLIENT, SERVER = "10.0.0.1:40000", "192.0.2.10:80"


def snat(source: str, outer_port: int) -> list[Hop]:
    return [Hop("cni0", 0, source, SERVER), Hop("eth0", 20_000, f"198.51.100.1:{outer_port}", SERVER)]


def places(facts: Facts) -> list[str]:
    return [loss.where for loss in facts.losses]


def usual(capture: CaptureBuilder, *names: str, at_ns: int = T0_NS - S) -> None:
    first = 1_000 if at_ns < T0_NS else 2_000
    for number in range(first, first + 5):
        path = plain_path(f"10.0.0.1:{30_000 + number}", SERVER, *names)
        capture.connect(at_ns + (number - first) * MS, path, isn=number)


def test_a_syn_that_only_the_inner_vantage_point_saw_is_lost_between_them() -> None:
    capture = CaptureBuilder()
    usual(capture, "cni0", "eth0")
    capture.retry(T0_NS, plain_path(CLIENT, SERVER, "cni0", "eth0"), isn=1, seen_at=1)
    facts = gather_facts([capture.build()], [])
    assert places(facts) == ["between cni0 and eth0"]
    assert not facts.losses[0].rewritten


def test_a_loss_where_the_retry_changes_its_port_is_marked_as_translated() -> None:
    capture = CaptureBuilder()
    usual(capture, "cni0", "eth0")
    capture.retry(T0_NS, snat(CLIENT, 40_000), isn=1, seen_at=1, again=snat(CLIENT, 51_000))
    assert [loss.rewritten for loss in gather_facts([capture.build()], []).losses] == [True]


def test_a_syn_that_all_vantage_points_saw_is_lost_beyond_the_last() -> None:
    capture = CaptureBuilder()
    capture.retry(T0_NS, plain_path(CLIENT, SERVER, "cni0", "eth0"), isn=1, seen_at=2)
    facts = gather_facts([capture.build()], [])
    assert places(facts) == ["beyond eth0"]
    assert facts.losses.in_words == "1 lost SYN"


def test_an_answer_that_never_reached_the_inner_vantage_point_is_lost_on_the_return_path() -> None:
    capture = CaptureBuilder()
    path = plain_path(CLIENT, SERVER, "cni0", "eth0")
    capture.syn(T0_NS, path, isn=1)
    row = {"tcp_flags": SYN | ACK, "sequence": 8, "acknowledgement": 2}
    capture.packet("eth0", T0_NS + MS, SERVER, CLIENT, **row)
    capture.connect(T0_NS + S, path, isn=1)
    facts = gather_facts([capture.build()], [])
    assert places(facts) == ["return path between eth0 and cni0"]
    assert facts.losses.in_words == "1 retransmitted or unanswered SYN"


@pytest.mark.parametrize(("again", "where"), [(False, "return path between eth0 and cni0"), (True, HELD)])
def test_an_answer_that_came_after_the_next_syn_was_held_not_lost(again: bool, where: str) -> None:
    """As behind a router that waits for a link address; `again`: the inner place sees both SYN-ACKs, else one."""
    capture = CaptureBuilder()
    path = plain_path(CLIENT, SERVER, "cni0", "eth0")
    capture.syn(T0_NS, path, isn=1)
    capture.syn(T0_NS + S, path, isn=1)
    row = {"tcp_flags": SYN | ACK, "sequence": 8, "acknowledgement": 2}
    for at_ns in (MS, S + MS):
        capture.packet("eth0", T0_NS + at_ns, SERVER, CLIENT, **row)
    for at_ns in (S + 2 * MS, S + 3 * MS)[: 1 + again]:
        capture.packet("cni0", T0_NS + at_ns, SERVER, CLIENT, **row)
    assert places(gather_facts([capture.build()], [])) == [where]


def test_a_place_that_saw_answers_alone_is_ordered_by_them() -> None:
    capture = CaptureBuilder(places=("server", "cni0", "eth0"))
    for number in range(5):
        path = plain_path(f"10.0.0.1:{30_000 + number}", SERVER, "cni0", "eth0")
        begin_ns = T0_NS + number * S
        capture.syn(begin_ns, path, isn=number)
        row = {"tcp_flags": SYN | ACK, "sequence": 8, "acknowledgement": number + 1}
        for at_ns, place in enumerate(("server", "eth0", "cni0"), 1):
            capture.packet(place, begin_ns + at_ns * MS, SERVER, f"10.0.0.1:{30_000 + number}", **row)
    facts = gather_facts([capture.build()], [])
    rank = {p.name: facts.attempts.order.rank[p.number] for p in facts.attempts.places}
    assert rank == {"cni0": 0, "eth0": 1, "server": 2}


@pytest.mark.parametrize(("is_answered", "lost"), [(True, 1), (False, 2)])
def test_the_last_syn_of_an_excerpt_is_not_lost_when_its_answer_is_there(
    is_answered: bool, lost: int
) -> None:
    capture = CaptureBuilder(places=("eth0",))
    path = plain_path(CLIENT, SERVER, "eth0")
    capture.syn(T0_NS, path, isn=1)
    capture.syn(T0_NS + S, path, isn=1)
    if is_answered:
        row = {"tcp_flags": SYN | ACK, "sequence": 8, "acknowledgement": 2}
        capture.packet("eth0", T0_NS + S + MS, SERVER, CLIENT, **row)
    else:
        usual(capture, "eth0", at_ns=T0_NS + 9 * S)
    assert len(gather_facts([capture.build()], []).losses) == lost


def test_with_one_vantage_point_the_place_is_unknown() -> None:
    capture = CaptureBuilder(places=("eth0",))
    capture.retry(T0_NS, plain_path(CLIENT, SERVER, "eth0"), isn=1, seen_at=1)
    assert places(gather_facts([capture.build()], [])) == [UNKNOWN_PLACE]


@pytest.mark.parametrize(("starts_ns", "where"), [(0, "between cni0 and eth0"), (1, "beyond cni0")])
def test_absence_counts_only_while_the_file_recorded(starts_ns: int, where: str) -> None:
    capture = CaptureBuilder()
    capture.retry(T0_NS, plain_path(CLIENT, SERVER, "cni0", "eth0"), isn=1, seen_at=1)
    built = replace(capture.build(), first_ns=T0_NS + starts_ns)
    assert places(gather_facts([built], [])) == [where]


def test_an_interface_that_fell_silent_was_recorded_until_the_end_of_its_file() -> None:
    capture = CaptureBuilder()
    path = plain_path(CLIENT, SERVER, "cni0", "eth0")
    capture.connect(T0_NS, path, isn=1)
    capture.syn(T0_NS + S, path[:1], isn=70_000)
    capture.syn(T0_NS + 2 * S, path[:1], isn=70_000)
    assert places(gather_facts([capture.build()], [])) == ["between cni0 and eth0"] * 2


def two_files(clock_ns: int, names: tuple[str, str] = ("a-inner", "b-outer")) -> list[Capture]:
    """The same packets in two files; the outer one's clock is off."""
    files = [CaptureBuilder(names[0], ("cni0",)), CaptureBuilder(names[1], ("eth0",))]
    for capture in files:
        usual(capture, "cni0", "eth0")
        capture.retry(T0_NS, plain_path(CLIENT, SERVER, "cni0", "eth0"), isn=1, seen_at=1)
        usual(capture, "cni0", "eth0", at_ns=T0_NS + 20 * S)
    return [files[0].build(), files[1].build(clock_ns=clock_ns)]


@pytest.mark.parametrize("clock_ns", [0, 3 * S, -3 * S])
@pytest.mark.parametrize("names", [("a-inner", "b-outer"), ("b-inner", "a-outer")])
def test_clocks_three_seconds_apart_give_the_same_losses(clock_ns: int, names: tuple[str, str]) -> None:
    facts = gather_facts(two_files(clock_ns, names), [])
    assert places(facts) == ["between cni0 and eth0"]
    by_name = {p.input: facts.attempts.order.rank[p.number] for p in facts.attempts.places}
    assert by_name[names[0]] < by_name[names[1]]
    expected_ns = clock_ns if names[0] < names[1] else -clock_ns
    (clock,) = facts.clocks.offsets
    assert clock.both_directions
    assert abs(clock.offset_ns - expected_ns) <= 2 * clock.uncertainty_ns


def with_rival(distance_ns: int, rival: str = "10.0.0.2:40000") -> Facts:
    capture = CaptureBuilder()
    capture.retry(T0_NS, snat(CLIENT, 40_000), isn=1, seen_at=1, again=snat(CLIENT, 51_000))
    capture.connect(T0_NS + distance_ns, snat(rival, 40_000), isn=500_000)
    return gather_facts([capture.build()], [])


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("distance_ns", "found"), [(MS, True), (MS + 1, False)])
def test_a_rival_is_within_a_millisecond_before_or_after(sign: int, distance_ns: int, found: bool) -> None:
    rivals = with_rival(sign * distance_ns).rivals
    assert [r.distance_ns for r in rivals.values()] == ([distance_ns] if found else [])


@pytest.mark.parametrize("rival", ["10.0.0.1:40000", "10.0.0.2:40001"])
def test_the_same_source_or_another_port_is_no_rival(rival: str) -> None:
    assert with_rival(500, rival).rivals == {}


def icmp_error(capture: CaptureBuilder, *, isn: int) -> None:
    ports = {"source_port": 40000, "destination_port": 80}
    quoted = {"protocol": 1, "icmp_type": 3, "icmp_code": 1, "sequence": isn, "tcp_flags": 0, **ports}
    capture.packet("cni0", T0_NS + 3 * S, "10.0.0.254:0", "10.0.0.1:0", **quoted)


@pytest.mark.parametrize(("isn", "outcome"), [(1, "unreachable"), (2, "unanswered")])
def test_an_icmp_error_makes_unreachable_only_what_it_quotes(isn: int, outcome: str) -> None:
    capture = CaptureBuilder(places=("cni0",))
    path = plain_path(CLIENT, SERVER, "cni0")
    capture.syn(T0_NS, path, isn=1, ip_id=1, timestamp_value=1)
    capture.syn(T0_NS + S, path, isn=1, ip_id=2, timestamp_value=1001)
    icmp_error(capture, isn=isn)
    facts = gather_facts([capture.build()], [])
    assert [attempt.outcome for attempt in facts.attempts.retried] == [outcome]
