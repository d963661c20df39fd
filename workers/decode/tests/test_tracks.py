"""Connections that rest: their state goes to others, and what comes later is judged all the same."""

from pathlib import Path

import pytest

from backend.forensics.messages import Messages, MessageTable
from backend.forensics.packets import (
    ACK,
    MARK_KEEP_ALIVE,
    MARK_KEEP_ALIVE_ACK,
    MARK_RETRANSMISSION,
    MARK_SPURIOUS_RETRANSMISSION,
    PSH,
    SYN,
)
from workers.decode.reading import Reading
from workers.decode.tests.capture_bytes import MS, decode, handshake, pcap, tcp

_SECOND = 1000 * MS
_OTHERS = 9000
"""More than twice the tracks that there are at first."""


def _others(start_ns: int) -> list[tuple[int, bytes]]:
    return [
        (start_ns + number, tcp(SYN, number, ip_id=1, client_port=1 + number)) for number in range(_OTHERS)
    ]


def _marks(packets: list[tuple[int, bytes]], folder: Path) -> list[int]:
    import pyarrow.parquet as pq

    decode(pcap(packets), folder, table=True)
    found: list[int] = pq.read_table(folder / "packets.parquet")["marks"].to_pylist()
    return found


@pytest.mark.parametrize("silent_s", [1, 100])
def test_a_connection_is_judged_the_same_after_its_rest(tmp_path: Path, silent_s: int) -> None:
    opening = [
        *handshake(),
        (30 * MS, tcp(ACK | PSH, 1001, 5001, ip_id=3, payload=b"x" * 100)),
        (40 * MS, tcp(ACK, 5001, 1101, ip_id=3, back=True)),
    ]
    start = silent_s * _SECOND
    later = [
        (2 * start, tcp(ACK, 1100, 5001, ip_id=4)),
        (2 * start + MS, tcp(ACK, 5001, 1101, ip_id=4, back=True)),
        (2 * start + 2 * MS, tcp(ACK | PSH, 1001, 5001, ip_id=5, payload=b"x" * 100)),
        (2 * start + 3 * MS, tcp(ACK | PSH, 1101, 5001, ip_id=6, payload=b"x" * 100)),
    ]
    marks = _marks([*opening, *_others(start), *later], tmp_path)
    assert not any(marks[: -len(later)])
    # The window is not kept, so that nobody can tell the first ACK after a rest from another one.
    answer = MARK_KEEP_ALIVE_ACK if silent_s == 1 else 0
    again = MARK_RETRANSMISSION | MARK_SPURIOUS_RETRANSMISSION
    assert marks[-len(later) :] == [MARK_KEEP_ALIVE, answer, again, 0]


def test_tracks_grow_only_while_connections_are_in_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    finish = Reading.finish

    def watch(reading: Reading) -> tuple[Messages, MessageTable]:
        seen.append(int(reading.state["tracks"]))
        return finish(reading)

    monkeypatch.setattr(Reading, "finish", watch)
    decode(pcap(_others(0)), tmp_path)
    spread = [(number * 100 * MS, packet) for number, (_, packet) in enumerate(_others(0))]
    decode(pcap(spread), tmp_path)
    assert seen[0] == _OTHERS
    assert seen[1] <= 4096
