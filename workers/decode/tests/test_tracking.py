"""Incarnations, copies, retransmissions: what the connection table says of hand-made traffic."""

from pathlib import Path

import pytest

from backend.forensics.connections import NEVER
from backend.forensics.packets import (
    ACK,
    FIN,
    MARK_COPY,
    MARK_KEEP_ALIVE,
    MARK_LOST_SEGMENT,
    MARK_OUT_OF_ORDER,
    MARK_PREVIOUS_MISSING,
    MARK_RETRANSMISSION,
    PSH,
    RST,
    SYN,
    UDP,
)
from workers.decode.tests.capture_bytes import MS, START_NS, decode, handshake, ipv4, pcap, tcp

SECOND = 1000 * MS


def _data(when: int, seq: int, payload: bytes, ip_id: int) -> tuple[int, bytes]:
    return when, tcp(ACK | PSH, seq, 5001, payload=payload, ip_id=ip_id)


def test_a_handshake(tmp_path: Path) -> None:
    capture = decode(pcap(handshake()), tmp_path)
    one = capture.connections[0]
    assert (one["syns"], one["syn_acks"], one["isn"]) == (1, 1, 1000)
    times = [int(one[name]) - START_NS for name in ("syn_ns", "syn_ack_ns", "established_ns")]
    assert times == [0, 10 * MS, 20 * MS]
    assert capture.handshakes["frame"].tolist() == [1, 2, 3]
    assert (one["closed_ns"], one["client_packets"], one["server_packets"]) == (NEVER, 2, 1)


def test_a_repeated_syn_is_a_retransmission_and_a_mirrored_one_a_copy(tmp_path: Path) -> None:
    again = [(SECOND, tcp(SYN, 1000, ip_id=2, tsval=1077)), (9 * SECOND, tcp(SYN, 1000, ip_id=1))]
    capture = decode(pcap([(0, tcp(SYN, 1000, ip_id=1)), *again]), tmp_path)
    assert capture.connections["syns"].tolist() == [2]
    assert capture.handshakes["marks"].tolist() == [0, MARK_RETRANSMISSION, MARK_COPY]


def test_without_ip_id_only_50_ms_make_a_copy(tmp_path: Path) -> None:
    packets = [(when * MS, tcp(SYN, 1000, ip_id=0)) for when in (0, 30, 2000)]
    capture = decode(pcap(packets), tmp_path)
    assert capture.handshakes["marks"].tolist() == [0, MARK_COPY, MARK_RETRANSMISSION]


@pytest.mark.parametrize(("back_ms", "mark"), [(3, MARK_COPY), (40, MARK_COPY), (60, MARK_RETRANSMISSION)])
def test_a_copy_may_bear_an_earlier_time(tmp_path: Path, back_ms: int, mark: int) -> None:
    """A file of several interfaces holds their packets in blocks, not in the order of their times."""
    packets = [(when * MS, tcp(SYN, 1000, ip_id=0)) for when in (100, 100 - back_ms)]
    assert decode(pcap(packets), tmp_path).handshakes["marks"].tolist() == [0, mark]


def test_each_syn_gets_its_own_syn_ack(tmp_path: Path) -> None:
    answer = tcp(SYN | ACK, 5000, 1001, back=True, ip_id=0)
    packets = [(0, answer), (1 * MS, tcp(SYN, 1000, ip_id=9)), (2 * MS, answer)]
    packets.insert(0, (0, tcp(SYN, 1000, ip_id=1)))
    assert decode(pcap(packets), tmp_path).connections["syn_acks"].tolist() == [2]


def test_a_new_isn_opens_a_new_incarnation(tmp_path: Path) -> None:
    packets = [*handshake(), (SECOND, tcp(SYN, 9000, ip_id=7))]
    capture = decode(pcap(packets), tmp_path)
    assert capture.connections["isn"].tolist() == [1000, 9000]
    assert capture.handshakes["connection"].tolist() == [0, 0, 0, 1]


def test_the_bare_ack_of_a_server_in_time_wait(tmp_path: Path) -> None:
    answer = tcp(ACK, 777, 333, back=True, ip_id=5)
    packets = [(0, tcp(SYN, 9000, ip_id=1)), (1, answer), (2, tcp(RST, 333, ip_id=2))]
    capture = decode(pcap(packets), tmp_path)
    assert capture.handshakes["frame"].tolist() == [1, 2, 3]
    assert capture.connections["lost_segments"].tolist() == [0]
    assert capture.connections["resets"].tolist() == [1]


def _marks(packets: list[tuple[int, bytes]], folder: Path) -> list[int]:
    import pyarrow.parquet as pq

    decode(pcap(packets), folder, table=True)
    marks: list[int] = pq.read_table(folder / "packets.parquet")["marks"].to_pylist()
    return marks


def test_data_sent_again_out_of_order_and_kept_alive(tmp_path: Path) -> None:
    packets = [
        *handshake(),
        _data(30 * MS, 1001, b"a" * 10, 3),
        _data(40 * MS, 1021, b"c" * 10, 5),
        _data(41 * MS, 1011, b"b" * 10, 4),
        _data(300 * MS, 1021, b"c" * 10, 6),
        _data(900 * MS, 1030, b"", 7),
    ]
    expected = [0, MARK_PREVIOUS_MISSING, MARK_OUT_OF_ORDER, MARK_RETRANSMISSION, MARK_KEEP_ALIVE]
    assert _marks(packets, tmp_path)[3:] == expected


def test_an_ack_for_what_was_never_seen(tmp_path: Path) -> None:
    packets = [*handshake(), (30 * MS, tcp(ACK, 5001, 1501, back=True, ip_id=8))]
    assert _marks(packets, tmp_path)[3] == MARK_LOST_SEGMENT


def test_closing(tmp_path: Path) -> None:
    ends = [
        (SECOND, tcp(FIN | ACK, 1001, 5001, ip_id=5)), (2 * SECOND, tcp(FIN | ACK, 5001, 1002, back=True)),
    ]  # fmt: skip
    one = decode(pcap([*handshake(), *ends]), tmp_path).connections[0]
    assert (one["fins"], one["closed_ns"] - START_NS) == (3, 2 * SECOND)


def test_a_capture_that_starts_in_the_middle(tmp_path: Path) -> None:
    packets = [(0, tcp(ACK, 5001, 1001, back=True)), (1, tcp(ACK, 1001, 5001))]
    one = decode(pcap(packets), tmp_path).connections[0]
    assert (one["syns"], one["client_port"], one["syn_ns"]) == (0, 40000, NEVER)


def test_a_udp_flow_ends_after_two_minutes_of_silence(tmp_path: Path) -> None:
    query = ipv4(b"\x9c\x40\x00\x35\x00\x0c\x00\x00abcd", UDP)
    capture = decode(pcap([(0, query), (SECOND, query), (200 * SECOND, query)]), tmp_path)
    assert capture.connections["client_packets"].tolist() == [2, 1]
    assert capture.connections["client_bytes"].tolist() == [8, 4]


def test_many_connections_grow_the_tables(tmp_path: Path) -> None:
    packets = [
        (number, tcp(SYN, number, ip_id=round_ + 1, client_port=1 + number % 60000))
        for round_ in range(1) for number in range(40_000)
    ]  # fmt: skip
    capture = decode(pcap(packets), tmp_path)
    assert len(capture.connections) == 40_000
    assert capture.connections["isn"].tolist() == list(range(40_000))
