"""Lines of printed packets are told from all others, however mail and chat broke them."""

import pytest

from workers.decode.dumps import parse_dumps
from workers.decode.printed.lines import Grouper, is_begin
from workers.decode.printed.sequences import ACK, SYN, Sequences

HEAD = "12:00:01.000001 IP 10.0.0.1.40000 > 10.0.0.2.80: Flags [S], seq 1, win 64240"
PACKET = HEAD + ", length 0"


@pytest.mark.parametrize(
    "line",
    [
        PACKET,
        "IP 10.0.0.1.40000 > 10.0.0.2.80: Flags [S], seq 1, win 64240, length 0",
        "2026-11-21 01:11:43.4 02:00:00:00:00:01 > 02:00:00:00:00:02, ethertype IPv4 (0x0800), length 74: 10.0.0.1",
        "01:11:43.486943 eth0  In  IP 10.0.0.1.4 > 10.0.0.2.80: Flags [S], length 0",
        "01:11:43.486943 ?     P   IP6 fe80::1.4 > fe80::2.80: Flags [S], length 0",
        "1795223503.486943 ARP, Request who-has 10.0.0.1 tell 10.0.0.2, length 28",
        " 00:00:00.000022 IP (tos 0x0, ttl 64, id 0, offset 0, flags [DF], proto TCP (6), length 60)",
        "    1   0.000000 10.0.0.1 → 10.0.0.2 TCP 74 41358 → 80 [SYN] Seq=0 Win=64240 Len=0",
        "   12 1.000000000 10.0.0.1 -> 10.0.0.2 DNS 80 Standard query 0xacc6 A a.example",
    ],
)
def test_packets_are_known(line: str) -> None:
    assert is_begin(line)


@pytest.mark.parametrize(
    "line",
    [
        "10.0.0.1 dev eth0 lladdr 02:00:00:00:00:01 REACHABLE",
        "12:00:01.000001 something else happened > there",
        "tcp 6 117 SYN_SENT src=10.0.0.1 dst=10.0.0.2 sport=1 dport=2 [UNREPLIED] src=10.0.0.2 dst=10.0.0.1",
        "2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP",
        "",
    ],
)
def test_other_lines_are_none(line: str) -> None:
    assert not is_begin(line)


def test_broken_quoted_and_indented_lines_are_one_packet() -> None:
    broken = [f"> {HEAD},", "> length 0", "", f"    {PACKET}"]
    grouper = Grouper()
    packets = list(grouper.packets(broken))
    assert [(packet.number, packet.lines) for packet in packets] == [(1, 2), (4, 1)]
    assert packets[0].whole.endswith("win 64240, length 0")
    assert list(grouper.understood) == [1, 1, 0, 1]


def test_a_text_of_several_outputs_is_split_and_every_line_counted() -> None:
    text = (
        f"some words\n$ tcpdump -ni eth0\n{PACKET}\n\t0x0000:  4500 003c 6f25 4000 4006 ff9b 0af4 2315\n"
        f"<-- here it stalls\n{PACKET}\n\nroot@node-7:~# ip neigh\n10.0.0.2 dev eth0 FAILED\n"
    )
    packets, neighbors = parse_dumps(text)
    assert [dump.kind for dump in (packets, neighbors)] == ["tcpdump-text", "ip-neigh"]
    assert packets.printed.rows["line"].tolist() == [3, 6]
    assert packets.lines + neighbors.lines == 9
    assert packets.lines_not_understood == (1,), "a remark between packets is none of them"
    assert neighbors.host == "node-7"


def test_relative_numbers_are_made_absolute() -> None:
    numbers = Sequences()
    a, b = "10.0.0.1.4", "10.0.0.2.80"
    assert numbers.absolute(a, b, SYN, 5_000_000_00, None, 0)[:2] == (500_000_000, 0)
    assert numbers.absolute(b, a, SYN | ACK, 900_000_000, 500_000_001, 0)[:2] == (900_000_000, 500_000_001)
    assert numbers.absolute(a, b, ACK, None, 1, 0)[:2] == (500_000_001, 900_000_001)
    assert numbers.absolute(a, b, ACK, 1, 1, 100)[:2] == (500_000_001, 900_000_001)
    assert numbers.absolute(b, a, ACK, None, 101, 0)[:2] == (900_000_001, 500_000_101)
    assert numbers.absolute(a, b, ACK, 20_000_001, 1, 10)[:2] == (520_000_001, 900_000_001)


def test_absolute_numbers_stay() -> None:
    numbers = Sequences()
    a, b = "10.0.0.1.4", "10.0.0.2.80"
    numbers.absolute(a, b, SYN, 500_000_000, None, 0)
    numbers.absolute(b, a, SYN | ACK, 900_000_000, 500_000_001, 0)
    assert numbers.absolute(a, b, ACK, 500_000_001, 900_000_001, 100)[:2] == (500_000_001, 900_000_001)
    assert numbers.absolute(b, a, ACK, 900_000_001, 500_000_101, 10)[:2] == (900_000_001, 500_000_101)


def test_numbers_of_a_text_that_begins_in_the_middle_agree() -> None:
    numbers = Sequences()
    a, b = "10.0.0.1.4", "10.0.0.2.80"
    assert numbers.absolute(a, b, ACK, 1, 1, 100)[0] == 1
    assert numbers.absolute(b, a, ACK, 1, 101, 50)[:2] == (1, 101)
    assert numbers.absolute(a, b, ACK, 101, 51, 10)[:2] == (101, 51)
