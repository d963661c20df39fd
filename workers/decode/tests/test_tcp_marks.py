"""Each mark of a TCP segment, at both sides of what makes it one."""

import struct
from pathlib import Path

import numpy as np
import pytest

from backend.forensics.packets import (
    ACK,
    FIN,
    MARK_COPY,
    MARK_DUPLICATE_ACK,
    MARK_FAST_RETRANSMISSION,
    MARK_KEEP_ALIVE,
    MARK_KEEP_ALIVE_ACK,
    MARK_LOST_SEGMENT,
    MARK_OUT_OF_ORDER,
    MARK_PORT_REUSE,
    MARK_PREVIOUS_MISSING,
    MARK_RETRANSMISSION,
    MARK_SPURIOUS_RETRANSMISSION,
    MARK_SUPER_FRAME,
    MARK_WINDOW_FULL,
    MARK_WINDOW_UPDATE,
    MARK_ZERO_WINDOW,
    MARK_ZERO_WINDOW_PROBE,
    PSH,
    SYN,
)
from workers.decode.tests.capture_bytes import MS, decode, pcap, tcp

_SECOND = 1000 * MS
_SYN_OPTIONS = bytes.fromhex("020405b4 01 030302".replace(" ", ""))  # MSS 1460, scale 4
_Packets = list[tuple[int, bytes]]


class Talk:
    """A connection being written: sequence numbers relative to the ISNs, a new IP ID for each packet."""

    def __init__(self, isn: int = 1000, server_isn: int = 5000, *, scaled: bool = True) -> None:
        self.packets: _Packets = []
        self._isn = (isn, server_isn)
        options = _SYN_OPTIONS if scaled else _SYN_OPTIONS[:4]
        self.send(0, SYN, 0, None, options=options)
        self.send(10, SYN | ACK, 0, 1, back=True, options=options)
        self.send(20, ACK, 1, 1)

    def send(
        self, ms: float, flags: int, seq: int, ack: int | None, *, size: int = 0, back: bool = False,
        window: int = 1000, options: bytes | None = None, ip_id: int | None = None,
    ) -> None:  # fmt: skip
        """Appends a packet."""
        mine, other = (self._isn[1], self._isn[0]) if back else self._isn
        number = len(self.packets) + 1 if ip_id is None else ip_id
        packet = tcp(
            flags, (mine + seq) % 2**32, 0 if ack is None else (other + ack) % 2**32, payload=b"x" * size,
            back=back, window=window, options=options, ip_id=number, tsval=number,
        )  # fmt: skip
        self.packets.append((int(ms * MS), packet))

    def data(self, ms: float, seq: int, size: int, ack: int = 1) -> None:
        """The client sends."""
        self.send(ms, ACK | PSH, seq, ack, size=size)

    def answer(self, ms: float, ack: int, *, window: int = 1000, options: bytes | None = None) -> None:
        """The server acknowledges."""
        self.send(ms, ACK, 1, ack, back=True, window=window, options=options)

    def marks(self, folder: Path) -> list[int]:
        """Of the packets after the handshake."""
        import pyarrow.parquet as pq

        decode(pcap(self.packets), folder, table=True)
        found: list[int] = pq.read_table(folder / "packets.parquet")["marks"].to_pylist()
        assert found[:3] == [0, 0, 0]
        return found[3:]

    def count(self, name: str, folder: Path) -> int:
        """A counter of the connection."""
        return int(decode(pcap(self.packets), folder).connections[name][0])


def _sack(*blocks: tuple[int, int]) -> bytes:
    edges = b"".join(struct.pack(">II", 1000 + left, 1000 + right) for left, right in blocks)
    return bytes((1, 1, 5, 2 + len(edges))) + edges


@pytest.mark.parametrize("isn", [1000, 2**32 - 50])
def test_data_sent_again(tmp_path: Path, isn: int) -> None:
    talk = Talk(isn)
    talk.data(30, 1, 100)
    talk.data(31, 101, 100)
    talk.data(300, 1, 100)
    talk.data(301, 150, 100)  # half of it is new
    talk.data(302, 250, 100)
    assert talk.marks(tmp_path) == [0, 0, MARK_RETRANSMISSION, MARK_RETRANSMISSION, 0]
    assert talk.count("data_retransmissions", tmp_path) == 2


def test_what_was_acknowledged_is_sent_again_for_nothing(tmp_path: Path) -> None:
    talk = Talk()
    talk.data(30, 1, 100)
    talk.answer(40, 51)
    talk.data(300, 1, 100)  # only half of it was acknowledged
    talk.answer(310, 101)
    talk.data(600, 1, 100)
    again = MARK_RETRANSMISSION
    assert talk.marks(tmp_path) == [0, 0, again, 0, again | MARK_SPURIOUS_RETRANSMISSION]
    assert talk.count("spurious_retransmissions", tmp_path) == 1


@pytest.mark.parametrize(("late_ms", "mark"), [(19, MARK_OUT_OF_ORDER), (21, MARK_RETRANSMISSION)])
def test_a_hole_filled_within_the_round_trip_was_overtaken(tmp_path: Path, late_ms: int, mark: int) -> None:
    talk = Talk()
    talk.data(30, 101, 100)
    talk.data(30 + late_ms, 1, 100)
    assert talk.marks(tmp_path) == [MARK_PREVIOUS_MISSING, mark]
    assert talk.count("previous_missing", tmp_path) == 1


def test_bytes_seen_before_are_never_out_of_order(tmp_path: Path) -> None:
    talk = Talk()
    talk.data(30, 1, 100)
    talk.data(31, 201, 100)
    talk.data(32, 1, 100)
    talk.data(33, 101, 50)
    talk.data(34, 151, 50)
    marks = [0, MARK_PREVIOUS_MISSING, MARK_RETRANSMISSION, MARK_OUT_OF_ORDER, MARK_OUT_OF_ORDER]
    assert talk.marks(tmp_path) == marks


@pytest.mark.parametrize(
    ("duplicates", "after_ms", "is_fast"), [(2, 1, False), (3, 1, True), (3, 39, True), (3, 42, False)]
)
def test_three_duplicate_acks_ask_for_a_fast_retransmission(
    tmp_path: Path, duplicates: int, after_ms: int, is_fast: bool
) -> None:
    talk = Talk()
    for number in range(5):
        talk.data(30 + number, 1 + 100 * number, 100)
    talk.answer(50, 101)
    for _ in range(duplicates):
        talk.answer(51, 101)
    talk.data(51 + after_ms, 101, 100)
    expected = MARK_RETRANSMISSION | (MARK_FAST_RETRANSMISSION if is_fast else 0)
    assert talk.marks(tmp_path)[5:] == [0, *[MARK_DUPLICATE_ACK] * duplicates, expected]


def test_recovery_goes_on_after_a_partial_ack(tmp_path: Path) -> None:
    talk = Talk()
    for number in range(6):
        talk.data(30, 1 + 100 * number, 100)
    talk.answer(50, 101)
    for _ in range(3):
        talk.answer(50, 101)
    talk.data(51, 101, 100)
    talk.answer(61, 301)  # below what was sent when recovery began
    talk.data(62, 301, 100)
    talk.answer(72, 601)
    talk.data(73, 601, 100)
    talk.data(74, 601, 100)  # recovery is over
    fast = MARK_RETRANSMISSION | MARK_FAST_RETRANSMISSION
    assert talk.marks(tmp_path)[10:] == [fast, 0, fast, 0, 0, MARK_RETRANSMISSION]


@pytest.mark.parametrize(("sacked", "is_fast"), [(2 * 1460, False), (2 * 1460 + 1, True)])
def test_more_than_two_segments_sacked_ask_as_well(tmp_path: Path, sacked: int, is_fast: bool) -> None:
    talk = Talk()
    talk.data(30, 1, 1000)
    for number in range(4):
        talk.data(31, 1001 + 1000 * number, 1000)
    talk.answer(50, 1, options=_sack((1001, 1001 + sacked)))
    talk.data(51, 1, 1000)
    expected = MARK_RETRANSMISSION | (MARK_FAST_RETRANSMISSION if is_fast else 0)
    assert talk.marks(tmp_path)[5:] == [MARK_DUPLICATE_ACK, expected]


def test_what_is_no_duplicate_ack(tmp_path: Path) -> None:
    talk = Talk()
    talk.answer(30, 1, window=1000)
    talk.answer(31, 1, window=1000)  # nothing is outstanding
    talk.data(32, 1, 100)
    talk.answer(33, 1, window=1100)  # another window
    talk.send(34, ACK | PSH, 1, 1, back=True, size=10, window=1100)  # data
    talk.send(35, ACK, 1, 1, back=True, window=1100)  # overtaken by the data
    talk.send(36, ACK, 11, 1, back=True, window=1100)
    marks = talk.marks(tmp_path)
    # The scale of 4 makes 4,000 bytes of the SYN-ACK's 1,000.
    assert marks == [MARK_WINDOW_UPDATE, 0, 0, MARK_WINDOW_UPDATE, 0, 0, MARK_DUPLICATE_ACK]
    assert talk.count("duplicate_acks", tmp_path) == 1


def test_a_copy_is_neither_retransmission_nor_duplicate(tmp_path: Path) -> None:
    talk = Talk()
    for _ in range(2):
        talk.send(30, ACK | PSH, 1, 1, size=100, ip_id=77)
    talk.answer(40, 101)
    talk.data(41, 101, 100)
    for _ in range(2):
        talk.send(42, ACK, 1, 101, back=True, ip_id=78)
    assert talk.marks(tmp_path) == [0, MARK_COPY, 0, 0, MARK_DUPLICATE_ACK, MARK_COPY]
    assert talk.count("data_retransmissions", tmp_path) == 0


@pytest.mark.parametrize(("size", "mark"), [(3999, 0), (4000, MARK_WINDOW_FULL), (4001, 0)])
def test_a_segment_up_to_the_last_byte_of_the_window(tmp_path: Path, size: int, mark: int) -> None:
    talk = Talk()
    talk.answer(30, 1)  # 1,000 x 4 bytes
    talk.data(31, 1, 1000)
    talk.data(32, 1001, size - 1000)
    assert talk.marks(tmp_path)[2] & MARK_WINDOW_FULL == mark


def test_without_the_handshake_no_window_is_known_to_be_full(tmp_path: Path) -> None:
    talk = Talk()
    talk.answer(30, 1)
    talk.data(31, 1, 1000)
    packets = pcap(talk.packets[3:])
    assert not decode(packets, tmp_path).connections["windows_full"].any()


def test_a_closed_window_and_its_probes(tmp_path: Path) -> None:
    talk = Talk()
    talk.data(30, 1, 100)
    talk.answer(40, 101, window=0)
    talk.data(240, 101, 1)  # one byte beyond the window
    talk.answer(241, 101, window=0)
    talk.send(640, ACK, 100, 1)  # as Linux probes
    talk.answer(641, 101, window=0)
    talk.data(1040, 101, 1)
    talk.answer(1041, 102, window=500)  # took the byte
    talk.data(1042, 102, 100)
    closed = MARK_ZERO_WINDOW | MARK_KEEP_ALIVE_ACK
    probe = MARK_ZERO_WINDOW_PROBE
    assert talk.marks(tmp_path) == [
        0, MARK_ZERO_WINDOW, probe, closed, probe | MARK_KEEP_ALIVE, closed, probe, 0, 0,
    ]  # fmt: skip
    assert talk.count("zero_window_probes", tmp_path) == 3
    assert talk.count("zero_windows", tmp_path) == 3


def test_keep_alives_and_their_acks(tmp_path: Path) -> None:
    talk = Talk()
    talk.data(30, 1, 100)
    talk.answer(40, 101)
    talk.send(75_000, ACK, 100, 1)
    talk.answer(75_010, 101)
    talk.data(150_000, 100, 1)  # with the last byte once more
    talk.answer(150_010, 101)
    talk.data(150_020, 101, 10)
    marks = [MARK_KEEP_ALIVE, MARK_KEEP_ALIVE_ACK] * 2
    assert talk.marks(tmp_path) == [0, 0, *marks, 0]
    assert talk.count("keep_alives", tmp_path) == 2


def test_one_unacknowledged_byte_sent_again_is_no_keep_alive(tmp_path: Path) -> None:
    talk = Talk()
    talk.data(30, 1, 1)
    talk.data(300, 1, 1)
    assert talk.marks(tmp_path) == [0, MARK_RETRANSMISSION]


def test_an_ack_before_its_data(tmp_path: Path) -> None:
    talk = Talk()
    talk.answer(30, 101)
    talk.data(31, 1, 100)  # captured on another queue, a little later
    talk.answer(32, 101)
    talk.answer(33, 201)
    assert talk.marks(tmp_path) == [MARK_LOST_SEGMENT, MARK_OUT_OF_ORDER, 0, MARK_LOST_SEGMENT]
    assert talk.count("lost_segments", tmp_path) == 2


@pytest.mark.parametrize(("size", "mark"), [(1460, 0), (1461, MARK_SUPER_FRAME)])
def test_a_segment_larger_than_the_mss(tmp_path: Path, size: int, mark: int) -> None:
    talk = Talk()
    talk.data(30, 1, size)
    assert talk.marks(tmp_path) == [mark]


def test_ip_length_0_is_a_super_frame_of_the_length_of_its_record(tmp_path: Path) -> None:
    talk = Talk()
    talk.data(30, 1, 100)
    when, packet = talk.packets[-1]
    talk.packets[-1] = when, packet[:2] + b"\0\0" + packet[4:]
    assert talk.marks(tmp_path) == [MARK_SUPER_FRAME]
    assert talk.count("client_bytes", tmp_path) == 100


def test_the_fin_counts_as_a_byte(tmp_path: Path) -> None:
    talk = Talk()
    talk.send(30, ACK | FIN, 1, 1)
    talk.answer(40, 2)
    talk.send(300, ACK | FIN, 1, 1)
    assert talk.marks(tmp_path)[2] == MARK_RETRANSMISSION | MARK_SPURIOUS_RETRANSMISSION


def test_a_new_isn_on_a_used_tuple(tmp_path: Path) -> None:
    syns = [(0, tcp(SYN, 1000, ip_id=1)), (_SECOND, tcp(SYN, 1000, ip_id=2, tsval=78))]
    rows = decode(pcap([*syns, (2 * _SECOND, tcp(SYN, 9000, ip_id=3))]), tmp_path).handshakes
    assert rows["marks"].tolist() == [0, MARK_RETRANSMISSION, MARK_PORT_REUSE]


def test_both_ends_open_at_once(tmp_path: Path) -> None:
    packets = [
        (0, tcp(SYN, 1000, ip_id=1, options=_SYN_OPTIONS)),
        (1 * MS, tcp(SYN, 5000, ip_id=1, back=True, options=_SYN_OPTIONS)),
        (9 * MS, tcp(SYN | ACK, 1000, 5001, ip_id=2, options=_SYN_OPTIONS)),
        (10 * MS, tcp(SYN | ACK, 5000, 1001, ip_id=2, back=True, options=_SYN_OPTIONS)),
        (20 * MS, tcp(ACK | PSH, 1001, 5001, ip_id=3, payload=b"x" * 100)),
        (21 * MS, tcp(ACK, 5001, 1101, ip_id=3, back=True)),
    ]
    capture = decode(pcap(packets), tmp_path)
    one = capture.connections[0]
    assert len(capture.connections) == 1
    assert (one["syns"], one["syn_acks"], one["server_mss"]) == (1, 1, 1460)
    assert (one["client_window_scale"], one["server_window_scale"]) == (2, 2)
    assert one["established_ns"] > one["syn_ns"]
    assert not np.any(capture.handshakes["marks"])
    assert (one["data_retransmissions"], one["lost_segments"], one["previous_missing"]) == (0, 0, 0)
