"""Texts without printed packets are passed by unread, and what is read of the others is the same."""

from __future__ import annotations

import pytest

from workers.decode.dumps.printed_packets import MARK
from workers.decode.printed.lines import may_hold_packets
from workers.decode.printed.marks import with_marks

PACKET = b"01:11:43.486943 IP 10.0.0.1.41358 > 10.0.0.2.80: Flags [S], seq 3, win 64240, length 0"
LISTING = b"tcp      6 117 SYN_SENT src=10.0.0.1 dst=10.0.0.2 sport=1 dport=2 [UNREPLIED] mark=0 use=1\n"


@pytest.mark.parametrize(
    "line",
    [
        PACKET,
        b"ARP, Request who-has 10.0.0.2 tell 10.0.0.1, length 28",
        "1 0.0 10.0.0.1 → 10.0.0.2 TCP 74 1 → 2 [SYN]".encode(),
        b"1 0.0 10.0.0.1 -> 10.0.0.2 TCP 74",
        b"1 0.0 10.0.0.1 10.0.0.2 DNS 74 Standard query",
    ],
)
def test_a_packet_has_a_sign(line: bytes) -> None:
    assert may_hold_packets(LISTING + line)
    assert not may_hold_packets(LISTING)


@pytest.mark.parametrize("size", [7, 64, 1000, 100_000])
def test_marks_are_the_same_however_the_text_is_cut(size: int) -> None:
    text = LISTING * 30 + PACKET + b"\n" + LISTING * 30
    marked = b"".join(with_marks(text[at : at + size] for at in range(0, len(text), size)))
    lines = marked.decode().split("\n")
    assert [number for number, line in enumerate(lines) if line.startswith(MARK)] == [30]
    assert lines[0] == lines[31] == LISTING.decode().rstrip("\n")


def test_a_mark_in_a_text_without_packets_is_none_of_ours() -> None:
    marked = b"".join(with_marks([f"{MARK}1\n".encode(), LISTING, LISTING]))
    assert MARK not in marked.decode()
