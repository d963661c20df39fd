"""Which packets tell that a connection had a TCP anomaly or woke up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from backend.forensics.packets import ACK, PSH, RST, SYN
from backend.forensics.signals import (
    AFTER_SILENCE,
    CLOSED,
    FILLED,
    FIRST_COPY,
    OPENED,
    PASSED,
    REPLY,
    SENT_AGAIN,
    SILENCE_NS,
)
from workers.decode.tests.capture_bytes import MS, decode, pcap, tcp

Packets = list[tuple[int, bytes]]
OPEN: Packets = [
    (0, tcp(SYN, 1000, ip_id=1)),
    (MS, tcp(SYN | ACK, 5000, 1001, back=True, ip_id=0)),
    (2 * MS, tcp(ACK, 1001, 5001, ip_id=2)),
]


def told(packets: Packets, folder: Path) -> list[tuple[int, int]]:
    """(frame, kind)."""
    found = decode(pcap(packets), folder).signals
    return [(int(s["frame"]), int(s["kind"])) for s in found]


def data(at_ns: int, sequence: int, size: int = 10, ip_id: int = 9, **more: Any) -> tuple[int, bytes]:
    return at_ns, tcp(ACK | PSH, sequence, 5001, payload=b"x" * size, ip_id=ip_id, **more)


def ack(at_ns: int, number: int, **more: Any) -> tuple[int, bytes]:
    return at_ns, tcp(ACK, 5001, number, back=True, ip_id=at_ns // MS % 9_000, **more)


def test_quiet_connections_give_none(tmp_path: Path) -> None:
    assert told([*OPEN, data(3 * MS, 1001), ack(4 * MS, 1011)], tmp_path) == []


def test_data_sent_again_is_told_with_the_silence_before_it(tmp_path: Path) -> None:
    packets = [*OPEN, data(3 * MS, 1001, 500), data(203 * MS, 1001, 500, ip_id=10), ack(204 * MS, 1501)]
    (signal,) = decode(pcap(packets), tmp_path).signals
    assert (int(signal["kind"]), int(signal["frame"]), int(signal["previous_frame"])) == (SENT_AGAIN, 5, 4)
    assert (int(signal["silence_ns"]), int(signal["last_of_all"])) == (200 * MS, 1)
    assert (int(signal["payload_bytes"]), int(signal["passed_bytes"]), int(signal["from_client"])) == (
        500,
        0,
        1,
    )


def test_the_first_sight_of_bytes_that_fill_a_hole_is_no_second_copy(tmp_path: Path) -> None:
    packets = [
        *OPEN,
        data(3 * MS, 1001, 100),
        data(4 * MS, 1201, 100, ip_id=10),
        data(5 * MS, 1401, 100, ip_id=11),
    ]
    packets += [data(300 * MS, 1101, 100, ip_id=12), data(301 * MS, 1201, 100, ip_id=13)]
    packets += [data(302 * MS, 1301, 100, ip_id=14), data(900 * MS, 1101, 100, ip_id=15)]
    filled, second = SENT_AGAIN | FILLED, SENT_AGAIN
    assert told(packets, tmp_path) == [(7, filled), (8, second), (9, filled), (10, second)]


def test_the_first_data_of_the_client_may_be_the_hole(tmp_path: Path) -> None:
    packets = [*OPEN, data(3 * MS, 1101, 100), data(300 * MS, 1001, 100, ip_id=10)]
    packets.append(data(900 * MS, 1001, 100, ip_id=11))
    assert told(packets, tmp_path) == [(5, SENT_AGAIN | FILLED), (6, SENT_AGAIN)]
    assert told(packets[1:], tmp_path) == [
        (4, SENT_AGAIN | FILLED),
        (5, SENT_AGAIN),
    ]  # its SYN was not captured


def test_the_first_data_of_the_server_may_be_the_hole(tmp_path: Path) -> None:
    def answer(at_ns: int, sequence: int, ip_id: int) -> tuple[int, bytes]:
        segment = tcp(ACK | PSH, sequence, 1011, payload=b"y" * 100, back=True, ip_id=ip_id)
        return at_ns, segment

    packets = [*OPEN, data(3 * MS, 1001), answer(5 * MS, 5101, 20), answer(300 * MS, 5001, 21)]
    assert told(packets, tmp_path) == [(6, SENT_AGAIN | FILLED)]
    assert told([*packets, answer(900 * MS, 5001, 22)], tmp_path)[1:] == [(7, SENT_AGAIN)]


def test_first_data_that_was_seen_is_no_hole(tmp_path: Path) -> None:
    packets = [*OPEN, data(3 * MS, 1001, 100), data(300 * MS, 1001, 100, ip_id=10)]
    assert told(packets, tmp_path) == [(5, SENT_AGAIN)]


@pytest.mark.parametrize(("echoed", "kinds"), [(30, [SENT_AGAIN, FIRST_COPY]), (230, [SENT_AGAIN])])
def test_an_acknowledgement_tells_which_copy_it_answers(
    echoed: int, kinds: list[int], tmp_path: Path
) -> None:
    """TSval is the sender's clock: the first copy has 30, the retransmission 230."""
    packets = [*OPEN, data(30 * MS, 1001, tsval=30), data(230 * MS, 1001, ip_id=10, tsval=230)]
    packets += [ack(231 * MS, 1011, tsval=500, tsecr=echoed), ack(232 * MS, 1011, tsval=501, tsecr=30)]
    assert [kind for _, kind in told(packets, tmp_path)] == kinds


def in_ipv6(packet: bytes) -> bytes:
    """The same segment between two hosts of RFC 3849."""
    segment, ends = packet[20:], bytes.fromhex("20010db8") + bytes(11)
    return (
        b"\x60\0\0\0" + len(segment).to_bytes(2, "big") + b"\x06\x40" + ends + b"\1" + ends + b"\2" + segment
    )


@pytest.mark.parametrize(
    ("options", "v6", "headers"), [(None, False, 52), (b"", False, 40), (None, True, 72), (b"", True, 60)]
)
def test_a_signal_has_the_size_of_its_headers(
    options: bytes | None, v6: bool, headers: int, tmp_path: Path
) -> None:
    packets = [data(n * 200 * MS, 1001, 500, ip_id=n, options=options) for n in (1, 2)]
    sent = [(at, in_ipv6(packet)) if v6 else (at, packet) for at, packet in packets]
    (signal,) = decode(pcap(sent), tmp_path).signals
    assert int(signal["header_bytes"]) == headers


def test_what_was_acknowledged_has_passed(tmp_path: Path) -> None:
    packets = [*OPEN, data(3 * MS, 1001, 900), ack(4 * MS, 1901), data(5 * MS, 1901, 1000)]
    packets += [data(6 * MS, 2901, 100), data(300 * MS, 1901, 1000, ip_id=10)]
    (signal,) = decode(pcap(packets), tmp_path).signals
    assert (int(signal["passed_bytes"]), int(signal["last_of_all"])) == (900, 0)


def test_a_closed_window_is_told_once_and_its_opening(tmp_path: Path) -> None:
    packets = [*OPEN, data(3 * MS, 1001), ack(4 * MS, 1011, window=0), ack(500 * MS, 1011, window=0)]
    packets += [ack(900 * MS, 1011, window=500), ack(950 * MS, 1011, window=900)]
    assert told(packets, tmp_path) == [(5, CLOSED), (7, OPENED)]


def test_a_reset_ends_a_closed_window(tmp_path: Path) -> None:
    packets = [*OPEN, data(3 * MS, 1001), ack(4 * MS, 1011, window=0)]
    packets.append((500 * MS, tcp(RST | ACK, 5001, 1011, back=True, ip_id=77, window=0)))
    assert told(packets, tmp_path) == [(5, CLOSED), (6, OPENED)]


@pytest.mark.parametrize(
    ("silence_ns", "expected"), [(SILENCE_NS - 1, []), (SILENCE_NS, [(6, AFTER_SILENCE), (7, REPLY)])]
)
def test_the_first_packet_after_silence_and_its_answer(
    silence_ns: int, expected: list[tuple[int, int]], tmp_path: Path
) -> None:
    start_ns = 5 * MS + silence_ns
    packets = [*OPEN, data(3 * MS, 1001), ack(5 * MS, 1011), data(start_ns, 1011), ack(start_ns + MS, 1021)]
    assert told([*packets, ack(start_ns + 2 * MS, 1021)], tmp_path) == expected


def test_a_copy_is_no_signal(tmp_path: Path) -> None:
    packets = [*OPEN, data(3 * MS, 1001), data(3 * MS + 1000, 1001)]
    assert told(packets, tmp_path) == []


@pytest.mark.parametrize(
    ("size", "kinds"), [(999, [(5, SENT_AGAIN)]), (1_000, [(5, SENT_AGAIN), (6, PASSED)])]
)
def test_a_large_segment_that_passes_in_the_end_is_told(
    tmp_path: Path, size: int, kinds: list[tuple[int, int]]
) -> None:
    packets = [*OPEN, data(3 * MS, 1001, size), data(203 * MS, 1001, size, ip_id=10)]
    packets += [ack(204 * MS, 1001 + size), ack(300 * MS, 1001 + size, window=9)]
    assert told(packets, tmp_path) == kinds
    assert told([*packets[:5], ack(204 * MS, 1000 + size)], tmp_path) == kinds[:1]
