"""Which packets are sightings of one transmission, and which connections are one over NAT."""

from __future__ import annotations

import pytest

from backend.forensics.captures import Capture
from backend.forensics.evidence.attempts.attempts import Attempts, collect_attempts
from backend.forensics.packets import ACK, MARK_COPY, SYN
from backend.forensics.tests.build_capture import MS, T0_NS, CaptureBuilder, Hop, S, plain_path

CLIENT, SERVER = "10.0.0.1:40000", "192.0.2.10:80"
WEAK = {"ip_id": 0, "timestamp_value": 0}


def collect(*captures: Capture) -> Attempts:
    return collect_attempts(list(captures))


def snat(delay_ns: int = 20_000, port: int = 51_000) -> list[Hop]:
    return [Hop("cni0", 0, CLIENT, SERVER), Hop("eth0", delay_ns, f"198.51.100.1:{port}", SERVER)]


def test_one_syn_at_three_vantage_points_is_no_retransmission() -> None:
    capture = CaptureBuilder(places=("veth0", "cni0", "eth0"))
    capture.connect(T0_NS, plain_path(CLIENT, SERVER, "veth0", "cni0", "eth0"), isn=1)
    attempts = collect(capture.build())
    assert attempts.table["transmissions"].tolist() == [1]
    assert not attempts.retried
    assert attempts.order.rank == (0, 1, 2)


def test_a_copy_at_the_same_vantage_point_is_no_retransmission() -> None:
    capture = CaptureBuilder(places=("eth0",))
    path = plain_path(CLIENT, SERVER, "eth0")
    capture.syn(T0_NS, path, isn=1, ip_id=9, timestamp_value=9)
    capture.syn(T0_NS + 900 * MS, path, isn=1, ip_id=9, timestamp_value=9, marks=MARK_COPY)
    assert collect(capture.build()).table["transmissions"].tolist() == [1]


def test_a_second_syn_with_its_own_timestamp_is_a_retransmission() -> None:
    capture = CaptureBuilder(places=("veth0", "cni0", "eth0"))
    capture.retry(T0_NS, plain_path(CLIENT, SERVER, "veth0", "cni0", "eth0"), isn=1, seen_at=3)
    (attempt,) = collect(capture.build()).retried
    assert [len(sent.sightings) for sent in attempt.transmissions] == [3, 3]
    assert attempt.outcome == "established"
    assert attempt.connect_delay_s == pytest.approx(1.0005, abs=1e-3)


@pytest.mark.parametrize(("ack_after_s", "took_s"), [(0, 2.0), (5, 7.0)])
def test_an_answer_before_the_last_syn_was_accepted_when_the_client_acknowledged(
    ack_after_s: int, took_s: float
) -> None:
    """SYN, SYN-ACK, SYN-ACK after 1.9 s, SYN after 2 s: a retry that crossed a slow answer, or one more lost answer."""
    capture, path = CaptureBuilder(places=("eth0",)), plain_path(CLIENT, SERVER, "eth0")
    capture.syn(T0_NS, path, isn=1)
    for at_ns in (MS, 1_900 * MS):
        columns = {"tcp_flags": SYN | ACK, "sequence": 7, "acknowledgement": 2}
        capture.packet("eth0", T0_NS + at_ns, SERVER, CLIENT, **columns)
    capture.syn(T0_NS + 2 * S, path, isn=1)
    columns = {"tcp_flags": ACK, "sequence": 2, "acknowledgement": 8}
    capture.packet("eth0", T0_NS + 2 * S + MS + ack_after_s * S, CLIENT, SERVER, **columns)
    (attempt,) = collect(capture.build()).retried
    assert attempt.connect_delay_s == pytest.approx(took_s, abs=2e-3)


@pytest.mark.parametrize(("answered", "retried"), [(False, 0), (True, 3)])
def test_a_host_that_asks_itself_lost_nothing_where_its_answers_pass_no_vantage_point(
    answered: bool, retried: int
) -> None:
    """On the loopback both directions are seen: a full accept queue shows there."""
    capture, own = CaptureBuilder(places=("eth0",)), "10.0.0.1"
    for number in range(3):
        path = plain_path(f"{own}:{40_000 + number}", f"{own}:80", "eth0")
        for again in range(3):
            capture.syn(T0_NS + number * MS + again * S, path, isn=number)
    if answered:
        capture.connect(T0_NS + 9 * S, plain_path(f"{own}:41000", f"{own}:80", "eth0"), isn=99)
    assert len(collect(capture.build()).retried) == retried


def test_source_nat_with_another_port_joins_to_one_attempt() -> None:
    capture = CaptureBuilder()
    capture.connect(T0_NS, snat(), isn=1)
    table = collect(capture.build()).table
    assert len(table) == 1
    assert (table["client_port"][0], table["rewritten_source_port"][0]) == (40_000, True)
    assert not table["rewritten_destination"][0]


def test_destination_nat_joins_to_one_attempt() -> None:
    capture = CaptureBuilder()
    virtual = "10.96.0.1:80"
    capture.connect(
        T0_NS, [Hop("cni0", 0, CLIENT, virtual), Hop("eth0", 9_000, CLIENT, "10.0.1.7:8080")], isn=1
    )
    table = collect(capture.build()).table
    assert len(table) == 1
    assert table["rewritten_destination"][0]
    assert not table["rewritten_source_port"][0]
    assert table["server_port"][0] == 80


@pytest.mark.parametrize(("delay_ns", "attempts"), [(250 * MS, 1), (250 * MS + 1, 2)])
def test_a_syn_without_timestamp_joins_over_nat_within_250_ms_only(delay_ns: int, attempts: int) -> None:
    capture = CaptureBuilder()
    capture.syn(T0_NS, snat(delay_ns), isn=1, **WEAK)
    assert len(collect(capture.build()).table) == attempts


@pytest.mark.parametrize(("delay_ns", "attempts"), [(10 * S, 1), (10 * S + 1, 2)])
def test_a_syn_with_timestamp_and_ip_id_joins_up_to_ten_seconds(delay_ns: int, attempts: int) -> None:
    capture = CaptureBuilder()
    capture.syn(T0_NS, snat(delay_ns), isn=1, ip_id=5, timestamp_value=6)
    assert len(collect(capture.build()).table) == attempts


def test_a_scan_with_one_isn_for_all_targets_is_not_joined() -> None:
    capture = CaptureBuilder()
    for number in range(1, 51):
        path = plain_path("10.0.0.1:54321", f"192.0.2.{number}:443", "cni0", "eth0")
        capture.syn(T0_NS + number * 1_000, path, isn=1234, ip_id=54_321, timestamp_value=0)
    attempts = collect(capture.build())
    assert len(attempts.table) == 50
    assert not attempts.retried


def test_two_sources_with_one_weak_key_stay_two_attempts() -> None:
    capture = CaptureBuilder(places=("cni0",))
    for source in ("10.0.0.1:40000", "10.0.0.2:40000"):
        capture.syn(T0_NS, plain_path(source, SERVER, "cni0"), isn=1, **WEAK)
    assert len(collect(capture.build()).table) == 2


def test_a_new_isn_on_the_same_tuple_is_another_attempt() -> None:
    capture = CaptureBuilder()
    path = plain_path(CLIENT, SERVER, "cni0", "eth0")
    capture.connect(T0_NS, path, isn=1)
    capture.connect(T0_NS + S, path, isn=99)
    assert collect(capture.build()).table["transmissions"].tolist() == [1, 1]


ONCE_AT_CNI0 = plain_path(CLIENT, SERVER, "cni0")
ONCE_AT_ETH0 = plain_path(CLIENT, SERVER, "eth0")


def seen_on(later_ns: int, **columns: int) -> Attempts:
    """A SYN at one vantage point, and later one of its connection at another, with other `columns`."""
    capture = CaptureBuilder()
    capture.syn(T0_NS, ONCE_AT_CNI0, isn=1, ip_id=7, timestamp_value=0)
    capture.syn(T0_NS + later_ns, ONCE_AT_ETH0, isn=1, **({"ip_id": 7, "timestamp_value": 0} | columns))
    return collect(capture.build())


@pytest.mark.parametrize(("later_ns", "sent"), [(68_000, 1), (900 * MS, 1), (900 * MS + 1, 2)])
def test_one_syn_further_on_is_a_copy_until_a_timer_could_have_sent_it_again(
    later_ns: int, sent: int
) -> None:
    assert seen_on(later_ns, options_hash=78).table["transmissions"].tolist() == [sent]


@pytest.mark.parametrize(("later_ns", "sent"), [(68_000, 1), (50 * MS, 1), (50 * MS + 1, 2)])
def test_a_syn_whose_ip_id_was_rewritten_is_a_copy_within_50_ms(later_ns: int, sent: int) -> None:
    assert seen_on(later_ns, ip_id=8).table["transmissions"].tolist() == [sent]


def test_a_syn_sent_again_within_milliseconds_is_a_retransmission_where_one_vantage_point_saw_both() -> None:
    capture = CaptureBuilder()
    path = plain_path(CLIENT, SERVER, "cni0", "eth0")
    capture.syn(T0_NS, path, isn=1)
    capture.syn(T0_NS + 13 * MS, path, isn=1)
    assert collect(capture.build()).table["transmissions"].tolist() == [2]


def test_one_syn_on_four_interfaces_with_other_options_on_each_is_one() -> None:
    names = ("veth0", "cni0", "eth0", "tun0")
    capture = CaptureBuilder(places=names)
    for number, name in enumerate(names):
        hop = plain_path(CLIENT, SERVER, name)
        capture.syn(T0_NS + 9_000 * number, hop, isn=1, **WEAK, options_hash=number)
    assert collect(capture.build()).table["transmissions"].tolist() == [1]


def test_a_gateway_that_lowers_the_mss_does_not_hide_a_syn_behind_source_nat() -> None:
    capture = CaptureBuilder()
    capture.syn(T0_NS, snat()[:1], isn=1, ip_id=5, timestamp_value=6)
    capture.syn(T0_NS, snat()[1:], isn=1, ip_id=5, timestamp_value=6, options_hash=99)
    assert len(collect(capture.build()).table) == 1


def test_a_syn_of_ipv6_that_waited_for_its_next_hop_is_known_beside_its_retransmission() -> None:
    """IPv6 has no IP ID; TSval differs between a SYN and its retransmission. Both leave in one moment."""
    capture = CaptureBuilder(places=("eth0", "eth1"))
    client, server = "[fd00:1::2]:40000", "[fd00:3::9]:80"
    held, retried = ({"ip_id": 0, "ip_version": 6, "timestamp_value": stamp} for stamp in (5_000, 6_013))
    for at_ns, place, stamps in (
        (0, "eth0", held), (1_013 * MS, "eth0", retried),
        (1_013 * MS + 36_000, "eth1", held), (1_013 * MS + 59_000, "eth1", retried),
    ):  # fmt: skip
        capture.packet(place, T0_NS + at_ns, client, server, tcp_flags=SYN, sequence=1, **stamps)
    [attempt] = collect(capture.build()).retried
    assert [len(sent.sightings) for sent in attempt.transmissions] == [2, 2]
