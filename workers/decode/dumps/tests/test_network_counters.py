import pytest

from backend.forensics.dumps import CounterRow, Dump
from workers.decode.dumps import parse_dumps
from workers.decode.dumps.netstat_words import SENTENCES

NSTAT = """\
#kernel
IpInReceives                    954679             0.0
TcpExtListenOverflows           12                 0.0
TcpCurrEstab                    4                  0.0
"""
IN_WORDS = """\
Ip:
    Forwarding: 2
    954679 total packets received
    1 with invalid addresses
Icmp:
    5 ICMP messages received
    0 input ICMP message failed
    ICMP input histogram:
        destination unreachable: 5
Tcp:
    4 connections established
    2 segments retransmitted
UdpLite:
TcpExt:
    12 times the listen queue of a socket overflowed
    15 SYNs to LISTEN sockets dropped
    Quick ack mode was activated 1069 times
    Detected reordering 8 times using SACK
    TCPTimeouts: 8
    7 sentences that nobody has written
IpExt:
    InOctets: 123456
"""
IN_PAIRS = """\
Ip: Forwarding DefaultTTL InReceives
Ip: 1 64 954679
Tcp: RtoAlgorithm RtoMin RtoMax MaxConn ActiveOpens CurrEstab
Tcp: 1 200 120000 -1 77 4
"""


def the_dump(text: str) -> Dump:
    (dump,) = parse_dumps(text)
    assert dump.kind == "nstat"
    return dump


def all_of(rows: tuple[CounterRow, ...]) -> dict[str, tuple[int, int]]:
    return {name: (row.line, value) for row in rows for name, value in row.counters.items()}


def test_nstat() -> None:
    dump = the_dump(NSTAT)
    assert all_of(dump.counters) == {"IpInReceives": (2, 954_679), "TcpExtListenOverflows": (3, 12)}
    assert all_of(dump.gauges) == {"TcpCurrEstab": (4, 4)}
    assert dump.lines_not_understood == ()


def test_netstat_in_words_gives_the_kernels_names() -> None:
    dump = the_dump(IN_WORDS)
    assert dump.lines_not_understood == (20,)
    assert all_of(dump.counters) == {
        "IpInReceives": (3, 954_679),
        "IpInAddrErrors": (4, 1),
        "IcmpInMsgs": (6, 5),
        "IcmpInErrors": (7, 0),
        "TcpRetransSegs": (12, 2),
        "TcpExtListenOverflows": (15, 12),
        "TcpExtListenDrops": (16, 15),
        "TcpExtDelayedACKLost": (17, 1069),
        "TcpExtTCPSACKReorder": (18, 8),
        "TcpExtTCPTimeouts": (19, 8),
        "IpExtInOctets": (22, 123_456),
    }
    assert all_of(dump.gauges) == {"IpForwarding": (2, 2), "TcpCurrEstab": (11, 4)}


def test_every_sentence_has_one_number_and_a_name_in_its_section() -> None:
    for (section, sentence), name in SENTENCES.items():
        assert sentence.count("#") == 1, sentence
        assert name.startswith(section)
        assert len(name) > len(section)


def test_names_and_numbers_of_proc_are_paired() -> None:
    dump = the_dump(IN_PAIRS)
    assert all_of(dump.counters) == {"IpInReceives": (2, 954_679), "TcpActiveOpens": (4, 77)}
    assert all_of(dump.gauges)["TcpMaxConn"] == (4, -1)


@pytest.mark.parametrize(
    ("damaged", "lines"),
    [
        (IN_PAIRS.replace("1 64 954679", "1 64"), (2,)),
        (IN_PAIRS.replace("Ip: 1 64 954679\n", ""), (1,)),
        (IN_PAIRS + "TcpExt: PruneCalled\n", (5,)),
    ],
)
def test_half_a_pair_is_not_understood(damaged: str, lines: tuple[int, ...]) -> None:
    assert the_dump(damaged).lines_not_understood == lines


def test_a_second_listing_is_a_second_dump() -> None:
    assert [len(dump.counters) for dump in parse_dumps(NSTAT + NSTAT)] == [2, 2]
    assert [len(dump.counters) for dump in parse_dumps(IN_WORDS + IN_WORDS)] == [11, 11]
    assert [len(dump.counters) for dump in parse_dumps(IN_PAIRS + IN_PAIRS)] == [2, 2]


def test_softnet_rows_name_their_cpu_where_the_kernel_does() -> None:
    zeros = " 00000000" * 5
    text = (
        f"0006f61a 00000002 00000003{zeros} 00000000 00000000 00000000 00000004 00000000\n"
        f"00079b79 00000000 00000009{zeros} 00000000 00000000 00000000 00000000 00000003\n"
    )
    (dump,) = parse_dumps(text)
    assert (dump.kind, dump.lines_not_understood) == ("softnet-stat", ())
    assert [(row.line, row.cpu) for row in dump.counters] == [(1, 0), (2, 3)]
    assert [dump.counters[0].counters[name] for name in ("processed", "dropped", "time_squeeze")] == [
        0x6F61A,
        2,
        3,
    ]
    assert dump.gauges[0].counters == {"backlog_len": 4}


def test_interrupts_are_counted_by_cpu() -> None:
    text = """\
           CPU0       CPU1
 24:     123456          7   PCI-MSI 524289-edge      virtio1-input.0
NMI:          0          1   Non-maskable interrupts
ERR:          2
 25:     12
"""
    (dump,) = parse_dumps(text)
    assert dump.kind == "interrupts"
    assert [(r.line, r.cpu, r.counters) for r in dump.counters][1:] == [
        (2, 1, {"24 virtio1-input.0": 7}),
        (3, 0, {"NMI": 0}),
        (3, 1, {"NMI": 1}),
        (4, None, {"ERR": 2}),
        (5, None, {"25": 12}),
    ]
