"""Whose each moment of a connection was, packet by packet, at both ends of a path with a round trip of 40 ms."""

from pathlib import Path

import numpy as np
import pytest

from backend.forensics.evidence.tcp.limited_by import limited_by
from backend.forensics.packets import ACK, FIN, SYN
from workers.decode.tests.capture_bytes import MS, decode, pcap, tcp

ROUND_TRIP_MS, MSS = 40, 1000
_OPTIONS = b"\x02\x04" + MSS.to_bytes(2, "big") + b"\x01\x03\x03\x00"  # window scale 0
Sent = tuple[float, bool, int, int, int, int, int]
"""ms at the client, from the server, flags, sequence, acknowledgement, bytes, window."""


def _packets(sent: list[Sent], client_ms: float) -> list[tuple[int, bytes]]:
    """As seen `client_ms` away from the client, of the 20 ms to the server."""
    seen = []
    for number, (at_ms, back, flags, seq, ack, size, window) in enumerate(sent):
        packet = tcp(
            flags, 1000 + seq, 5000 + ack if flags & ACK else 0, payload=bytes(size), ip_id=number + 1,
            back=back, window=window, options=_OPTIONS if flags & SYN else b"",
        ) if not back else tcp(
            flags, 5000 + seq, 1000 + ack, payload=bytes(size), ip_id=number + 1, back=True, window=window,
            options=_OPTIONS if flags & SYN else b"",
        )  # fmt: skip
        seen.append((round((at_ms + (-client_ms if back else client_ms)) * MS), packet))
    return sorted(seen, key=lambda each: each[0])


_OPENING: list[Sent] = [
    (0, False, SYN, 0, 0, 0, 60_000),
    (40, True, SYN | ACK, 0, 1, 0, 60_000),
    (40, False, ACK, 1, 1, 0, 60_000),
]


def _milliseconds(sent: list[Sent], folder: Path, client_ms: float) -> dict[str, float]:
    table = decode(pcap(_packets(_OPENING + sent, client_ms)), folder).connections
    assert len(table) == 1
    total_ms = float(table["last_ns"][0] - table["first_ns"][0]) / MS
    return {name: round(float(shares[0]) * total_ms, 1) for name, shares in limited_by(table).named()}


def _data(at_ms: float, seq: int, size: int) -> Sent:
    return at_ms, False, ACK, seq, 1, size, 60_000


def _ack(at_ms: float, ack: int, window: int = 60_000) -> Sent:
    return at_ms, True, ACK, 1, ack, 0, window


@pytest.mark.parametrize("client_ms", [0, 7, 20])
def test_an_application_that_sends_now_and_then(tmp_path: Path, client_ms: float) -> None:
    """Two pieces with 200 ms between the ACK and the next: that is the application's, and 40 ms each the network's."""
    sent = [_data(50, 1, 500), _ack(90, 501), _data(290, 501, 500), _ack(330, 1001)]
    found = _milliseconds(sent, tmp_path, client_ms)
    assert found["handshake"] == ROUND_TRIP_MS
    assert found["receiver_window"] == 0
    # Away from the client, what comes after the last packet seen there is not in the capture.
    assert found["application"] == pytest.approx(210, abs=0.1)
    assert found["network"] == pytest.approx(80 - 2 * client_ms, abs=0.1)


@pytest.mark.parametrize("client_ms", [0, 20])
def test_a_server_that_thinks_before_it_answers(tmp_path: Path, client_ms: float) -> None:
    """The answer acknowledges the request 300 ms later than a round trip."""
    sent: list[Sent] = [_data(40, 1, 500), (380, True, ACK, 1, 501, 500, 60_000), _ack_of_client(380, 501)]
    found = _milliseconds(sent, tmp_path, client_ms)
    assert found["application"] == pytest.approx(300, abs=0.1)
    assert found["receiver_window"] == 0


def _ack_of_client(at_ms: float, ack: int) -> Sent:
    return at_ms, False, ACK, 501, ack, 0, 60_000


def test_a_delayed_ack_before_the_answer_is_not_the_network(tmp_path: Path) -> None:
    """The server's bare ACK comes 40 ms late, its answer 260 ms after that."""
    sent: list[Sent] = [_data(40, 1, 500), _ack(120, 501), (380, True, ACK, 1, 501, 500, 60_000)]
    found = _milliseconds([*sent, _ack_of_client(380, 501)], tmp_path, 0)
    assert (found["application"], found["network"]) == (300, 40)


def test_a_late_ack_is_the_network_where_the_same_side_goes_on(tmp_path: Path) -> None:
    sent = [_data(40, 1, 500), _ack(120, 501), _data(120, 501, 500), _ack(160, 1001)]
    found = _milliseconds(sent, tmp_path, 0)
    assert (found["application"], found["network"]) == (0, 120)


@pytest.mark.parametrize("client_ms", [0, 20])
@pytest.mark.parametrize(("window", "limit"), [(2000, "receiver_window"), (60_000, "network")])
def test_a_window_of_two_segments(tmp_path: Path, client_ms: float, window: int, limit: str) -> None:
    """Two segments each round trip: the window allows no more, or something else does not."""
    sent: list[Sent] = [_ack(41, 1, window)]
    for turn in range(20):
        at_ms, seq = 50 + turn * ROUND_TRIP_MS, 1 + turn * 2000
        sent += [_data(at_ms, seq, 1000), _data(at_ms, seq + 1000, 1000)]
        sent.append(_ack(at_ms + ROUND_TRIP_MS, seq + 2000, window))
    found = _milliseconds(sent, tmp_path, client_ms)
    other = "network" if limit == "receiver_window" else "receiver_window"
    assert found[limit] >= 19 * ROUND_TRIP_MS
    assert found[other] <= 1


def test_a_closed_window_is_the_receivers_until_it_opens(tmp_path: Path) -> None:
    sent = [_ack(40, 1, 1000), _data(50, 1, 1000), _ack(90, 1001, 0), _ack(590, 1001, 60_000)]
    sent += [_data(590, 1001, 500), _ack(630, 1501)]
    found = _milliseconds(sent, tmp_path, 0)
    assert (found["receiver_window"], found["network"], found["application"]) == (540, 40, 10)


def test_a_retransmission_timeout_is_the_networks(tmp_path: Path) -> None:
    sent = [_data(40, 1, 500), _data(240, 1, 500), _ack(280, 501)]
    found = _milliseconds(sent, tmp_path, 0)
    assert (found["network"], found["application"]) == (240, 0)


def test_without_handshake_or_data_nothing_is_said(tmp_path: Path) -> None:
    idle: list[Sent] = [(90, False, ACK | FIN, 1, 1, 0, 60_000)]
    for number, packets in enumerate((_OPENING + idle, [_data(50, 1, 500), _ack(90, 501)])):
        table = decode(pcap(_packets(packets, 0)), tmp_path, f"{number}.pcap").connections
        limits = limited_by(table)
        assert all(np.isnan(shares).all() for _, shares in limits.named())
