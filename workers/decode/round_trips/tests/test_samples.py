"""Which packets are questions, which are their answers, and which are no samples."""

from pathlib import Path
from typing import Any

import pytest

from backend.forensics.captures import Capture
from backend.forensics.packets import ACK, FIN, PSH, RST, SYN
from backend.forensics.round_trips import DATA, ECHO, REQUEST, SYN_ANSWERED
from workers.decode import tables
from workers.decode.bench.generate import generate
from workers.decode.captures import decode_capture
from workers.decode.growing import GrowingRecords
from workers.decode.round_trips.sampling import UNDER_WAY
from workers.decode.round_trips.tests.echoes import echo
from workers.decode.tests.capture_bytes import MS, decode, ipv4, pcap, tcp

Packets = list[tuple[int, bytes]]
OPEN: Packets = [
    (0, tcp(SYN, 1000, ip_id=1)),
    (10 * MS, tcp(SYN | ACK, 5000, 1001, back=True, ip_id=0)),
    (11 * MS, tcp(ACK, 1001, 5001, ip_id=2)),
]


def samples(packets: Packets, folder: Path) -> list[dict[str, Any]]:
    """All samples of a capture of these packets."""
    return _rows(decode(pcap(packets), folder))


def _rows(capture: Capture) -> list[dict[str, Any]]:
    table = capture.round_trips
    found: list[dict[str, Any]] = table.read(
        ["kind", "rtt_ns", "sent_frame", "answer_frame", "sequence", "recent_bytes"]
    ).to_pylist()
    return found


def told(packets: Packets, folder: Path) -> list[tuple[int, float, int, int]]:
    """(kind, ms, frame of the question, frame of the answer)."""
    return [
        (s["kind"], s["rtt_ns"] / MS, s["sent_frame"], s["answer_frame"]) for s in samples(packets, folder)
    ]


def data(at_ms: int, sequence: int, size: int = 10, ip_id: int = 9) -> tuple[int, bytes]:
    """A segment of the client."""
    return at_ms * MS, tcp(ACK | PSH, sequence, 5001, payload=b"x" * size, ip_id=ip_id)


def answer(at_ms: int, acknowledgement: int, payload: bytes = b"", flags: int = ACK) -> tuple[int, bytes]:
    """A segment of the server."""
    return at_ms * MS, tcp(flags, 5001, acknowledgement, payload=payload, ip_id=at_ms, back=True)


def test_syn_and_its_answer(tmp_path: Path) -> None:
    assert told(OPEN, tmp_path) == [(SYN_ANSWERED, 10.0, 1, 2)]


def test_syn_and_refusal(tmp_path: Path) -> None:
    refused = (4 * MS, tcp(RST | ACK, 0, 1001, back=True, ip_id=0))
    assert told([OPEN[0], refused], tmp_path) == [(SYN_ANSWERED, 4.0, 1, 2)]


def test_syn_and_the_ack_of_an_earlier_connection(tmp_path: Path) -> None:
    assert told([OPEN[0], (4 * MS, tcp(ACK, 9000, 77, back=True))], tmp_path) == []


def test_syn_sent_again_is_no_sample(tmp_path: Path) -> None:
    again = (1000 * MS, tcp(SYN, 1000, ip_id=2, tsval=1077))
    late = (1010 * MS, tcp(SYN | ACK, 5000, 1001, back=True, ip_id=0))
    assert told([OPEN[0], again, late], tmp_path) == []


def test_copy_of_a_syn_is_no_second_syn(tmp_path: Path) -> None:
    assert told([OPEN[0], (1, OPEN[0][1]), OPEN[1], (10 * MS + 1, OPEN[1][1])], tmp_path) == [
        (SYN_ANSWERED, 10.0, 1, 3)
    ]


def test_data_and_bare_ack(tmp_path: Path) -> None:
    packets = [*OPEN, data(20, 1001), answer(25, 1011)]
    assert told(packets, tmp_path)[1:] == [(DATA, 5.0, 4, 5)]


@pytest.mark.parametrize(("payload", "flags"), [(b"answer", ACK), (b"", ACK | FIN)])
def test_data_answered_by_the_application(tmp_path: Path, payload: bytes, flags: int) -> None:
    packets = [*OPEN, data(20, 1001), answer(25, 1011, payload, flags)]
    assert told(packets, tmp_path)[1:] == [(REQUEST, 5.0, 4, 5)]


def test_the_newest_segment_is_what_an_ack_answers(tmp_path: Path) -> None:
    """The first of the two may have waited for the delayed ACK."""
    packets = [*OPEN, data(20, 1001), data(30, 1011), answer(31, 1021)]
    assert told(packets, tmp_path)[1:] == [(DATA, 1.0, 5, 6)]


def test_data_sent_again_is_no_sample(tmp_path: Path) -> None:
    packets = [*OPEN, data(20, 1001), data(30, 1011), data(230, 1001, ip_id=10), answer(235, 1021)]
    assert told(packets, tmp_path)[1:] == []


def test_segments_within_a_millisecond_are_timed_once(tmp_path: Path) -> None:
    close = [*OPEN, data(20, 1001), (20 * MS + MS - 1, data(0, 1011)[1]), answer(25, 1011), answer(26, 1021)]
    assert told(close, tmp_path)[1:] == [(DATA, 5.0, 4, 6)]
    apart = [*OPEN, data(20, 1001), (21 * MS, data(0, 1011)[1]), answer(25, 1011), answer(26, 1021)]
    assert len(told(apart, tmp_path)[1:]) == 2


@pytest.mark.parametrize("sent", [UNDER_WAY, UNDER_WAY + 1])
def test_segments_under_way(tmp_path: Path, sent: int) -> None:
    asked = [data(20 + 2 * n, 1001 + 10 * n, ip_id=20 + n) for n in range(sent)]
    answers = [answer(60 + n, 1011 + 10 * n) for n in range(sent)]
    assert len(told([*OPEN, *asked, *answers], tmp_path)[1:]) == UNDER_WAY


def test_keep_alive_is_no_sample(tmp_path: Path) -> None:
    packets = [*OPEN, data(20, 1001), answer(25, 1011), data(9000, 1010, size=1), answer(9005, 1011)]
    assert len(told(packets, tmp_path)[1:]) == 1


def test_reset_ends_what_is_under_way(tmp_path: Path) -> None:
    assert told([*OPEN, data(20, 1001), answer(25, 1011, flags=RST | ACK)], tmp_path)[1:] == []


def test_echo_and_reply(tmp_path: Path) -> None:
    [sample] = samples([echo(0, 3), echo(8, 3, back=True)], tmp_path)
    assert (sample["kind"], sample["rtt_ns"], sample["sequence"]) == (ECHO, 8 * MS, 7 << 16 | 3)


def test_replies_in_another_order(tmp_path: Path) -> None:
    packets = [echo(0, 1), echo(10, 2), echo(90, 2, back=True), echo(91, 1, back=True)]
    assert told(packets, tmp_path) == [(ECHO, 80.0, 2, 3), (ECHO, 91.0, 1, 4)]


def test_copy_of_an_echo_is_no_second_echo(tmp_path: Path) -> None:
    packets = [echo(0, 1), echo(1, 1), echo(8, 1, back=True), echo(9, 1, back=True)]
    assert told(packets, tmp_path) == [(ECHO, 8.0, 1, 3)]


def test_echo_sent_again_under_the_same_number_is_no_sample(tmp_path: Path) -> None:
    packets = [echo(0, 1), echo(20, 1, ip_id=2), echo(28, 1, back=True)]
    assert told(packets, tmp_path) == []


def test_same_number_after_its_answer(tmp_path: Path) -> None:
    packets = [echo(0, 1), echo(8, 1, back=True), echo(1000, 1, ip_id=2), echo(1009, 1, back=True)]
    assert [ms for _, ms, _, _ in told(packets, tmp_path)] == [8.0, 9.0]


def test_clock_that_goes_back_gives_no_sample(tmp_path: Path) -> None:
    assert told([(10 * MS, echo(0, 1)[1]), echo(9, 1, back=True)], tmp_path) == []


def test_bytes_before_a_probe(tmp_path: Path) -> None:
    """A burst that the sender queued behind itself is known from a probe alone by it."""
    burst = [(1000 * MS, ipv4(bytes(1400), 17)) for _ in range(20)]
    quiet, notable = samples(
        [echo(0, 1), echo(8, 1, back=True), *burst, echo(1001, 2), echo(1100, 2, back=True)], tmp_path
    )
    assert quiet["recent_bytes"] == 48
    assert notable["recent_bytes"] == 20 * 1420 + 48


def test_what_the_packed_form_cannot_hold(tmp_path: Path) -> None:
    """Limits of it: 4.29 s to the answer and since the one before, 1,023 frames since the one before. The samples
    beyond are as exact, and so are those after them."""
    between = [(4400 * MS, ipv4(bytes(100), 17)) for _ in range(1023)]
    packets = [
        *OPEN, data(20, 1001), answer(4314, 1011), *between, data(4500, 1011), answer(4501, 1021),
        data(4600, 1021), answer(4895, 1031), data(4900, 1031), answer(9200, 1041), data(9210, 1041),
        answer(9211, 1051), echo(9300, 1), echo(9301, 1, back=True), data(9310, 1051), answer(9311, 1061),
    ]  # fmt: skip
    assert told(packets, tmp_path) == [
        (SYN_ANSWERED, 10.0, 1, 2), (DATA, 4294.0, 4, 5), (DATA, 1.0, 1029, 1030), (DATA, 295.0, 1031, 1032),
        (DATA, 4300.0, 1033, 1034), (DATA, 1.0, 1035, 1036), (ECHO, 1.0, 1037, 1038), (DATA, 1.0, 1039, 1040),
    ]  # fmt: skip


def test_the_clock_goes_back_between_two_samples(tmp_path: Path) -> None:
    packets = [*OPEN, data(2000, 1001), answer(2005, 1011), data(1000, 1011), answer(1007, 1021)]
    assert told(packets, tmp_path)[1:] == [(DATA, 5.0, 4, 5), (DATA, 7.0, 6, 7)]


def test_many_samples_in_several_batches(tmp_path: Path) -> None:
    packets = [*OPEN]
    for number in range(12_000):
        at_ms, sequence = 20 + 4 * number, 1001 + 10 * number
        packets += [
            data(at_ms, sequence, ip_id=number & 0xFFFF),
            answer(at_ms + 1 + number % 3, sequence + 10),
        ]
    found = told(packets, tmp_path)[1:]
    assert len(found) == 12_000
    assert all(
        each == (DATA, 1.0 + number % 3, 4 + 2 * number, 5 + 2 * number) for number, each in enumerate(found)
    )


def test_ends_of_samples_are_known_when_connections_are_in_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Samples are packed: the addresses of their connections are looked up when the table is read."""
    path = tmp_path / "many.pcap"
    generate(path, 5_000, "everything")
    columns = ("prober_low", "responder_low", "prober_port", "responder_port", "sent_ns", "rtt_ns")
    held = decode_capture(path, name="a", sha256="", packets_path=None)
    moved: list[int] = []
    to_file = GrowingRecords.to_file
    monkeypatch.setattr(tables, "_STORED_FROM_BYTES", 0)

    def noted(its: GrowingRecords, used: int) -> object:
        moved.append(used)
        return to_file(its, used)

    monkeypatch.setattr(GrowingRecords, "to_file", noted)
    stored = decode_capture(path, name="a", sha256="", packets_path=None)
    assert moved == [len(held.connections)]
    assert held.round_trips.rows > 100
    assert stored.round_trips.read(columns).equals(held.round_trips.read(columns))
    assert stored.connections.tobytes() == held.connections.tobytes()
    assert stored.credentials.loose_frames == held.credentials.loose_frames
    assert stored.credentials.connections.tolist() == held.credentials.connections.tolist()
