"""Round trips that hping3 and ping printed."""

import os
from pathlib import Path

import pytest

from backend.forensics.dumps import Dump, Probe, ProbeSeries
from backend.forensics.dumps.probes import PROBE_CORRECTED, PROBE_REFUSED
from workers.decode.dumps import parse_dumps, recognise_dump

TITLE = "HPING 10.0.0.7 (eth0 10.0.0.7): icmp mode set, 28 headers + 0 data bytes\n"
SYN_TITLE = "HPING db (eth0 10.0.0.7): S set, 40 headers + 0 data bytes\n"
ACCOUNT = """\
--- 10.0.0.7 hping statistic ---
3 packets transmitted, 3 packets received, 0% packet loss
round-trip min/avg/max = 0.1/6.6/1000.3 ms
"""


def answer(sequence: int, rtt_ms: float) -> str:
    return f"len=28 ip=10.0.0.7 ttl=64 id={2_500 + sequence} icmp_seq={sequence} rtt={rtt_ms} ms\n"


def tcp(sequence: int, rtt_ms: float, flags: str = "SA") -> str:
    return f"len=44 ip=10.0.0.7 ttl=64 DF id=0 sport=443 flags={flags} seq={sequence} win=64240 rtt={rtt_ms} ms\n"


def read(text: str) -> Dump:
    (dump,) = parse_dumps(text)
    assert dump.lines_not_understood == ()
    return dump


def rtts_ms(dump: Dump) -> list[float | None]:
    return [probe.rtt_ms for probe in dump.probes]


def test_echoes_of_hping3_in_the_order_of_their_lines() -> None:
    dump = read(TITLE + answer(0, 1.9) + answer(2, 0.2) + answer(1, 10.4) + ACCOUNT)
    assert (dump.kind, dump.warnings) == ("hping3", ())
    assert dump.probe_series == (ProbeSeries(1, "hping3", "icmp", "10.0.0.7", "10.0.0.7", sent=3),)
    assert list(dump.probes) == [
        Probe(2, 0, 0, None, 1.9),
        Probe(3, 0, 2, None, 0.2),
        Probe(4, 0, 1, None, 10.4),
    ]


def test_answers_to_syns_tell_the_port_and_whether_it_was_closed() -> None:
    dump = read(SYN_TITLE + tcp(0, 0.3) + tcp(1, 0.4, "RA"))
    assert dump.probe_series == (ProbeSeries(1, "hping3", "tcp", "db", "10.0.0.7", 443),)
    assert [probe.marks for probe in dump.probes] == [0, PROBE_REFUSED]


def test_packets_that_answer_no_probe_give_no_round_trip() -> None:
    strange = tcp(0, 0.0, "AP") + tcp(0, 3.0, "FA") + tcp(0, 0.0)
    dump = read(SYN_TITLE + tcp(0, 0.3) + strange + "DUP! " + tcp(0, 1_000.9) + tcp(1, 0.3))
    assert rtts_ms(dump) == [0.3, 0.3]


@pytest.mark.parametrize(("printed_ms", "rtt_ms"), [(999.9, 999.9), (1_000.0, 0.0), (1_101.1, 101.1)])
def test_a_second_too_much_among_quick_answers_is_taken_off(printed_ms: float, rtt_ms: float) -> None:
    dump = read(TITLE + answer(0, 1.0) + answer(1, printed_ms) + answer(2, 1.1))
    assert rtts_ms(dump) == [1.0, pytest.approx(rtt_ms), 1.1]
    corrected = printed_ms >= 1_000
    assert [bool(probe.marks & PROBE_CORRECTED) for probe in dump.probes] == [False, corrected, False]
    assert len(dump.warnings) == corrected


@pytest.mark.parametrize(
    "lines",
    [
        answer(0, 1.0) + answer(2, 1.0) + answer(1, 1_001.0),  # overtaken: it did take that long
        answer(0, 1.0) + answer(1, 1_120.0) + answer(2, 1_110.0) + answer(3, 1_100.0),  # a stall of a second
        answer(0, 1.0) + answer(1, 1_250.0) + answer(2, 1.0),  # 250 ms more than its neighbours are left
    ],
)
def test_a_round_trip_that_did_take_a_second_stays(lines: str) -> None:
    dump = read(TITLE + lines)
    assert dump.warnings == ()
    assert max(rtt for rtt in rtts_ms(dump) if rtt is not None) > 1_000


@pytest.mark.parametrize("cut", [1, 3, 12, 30, 40])
def test_a_line_that_the_account_broke_in_two_is_one_answer(cut: int) -> None:
    broken = answer(1, 0.7)
    dump = read(TITLE + answer(0, 0.9) + broken[:cut] + "\n" + ACCOUNT + broken[cut:])
    assert rtts_ms(dump) == [0.9, 0.7]


def test_a_listing_that_ends_in_a_line_says_so() -> None:
    (dump,) = parse_dumps(TITLE + answer(0, 0.9) + answer(1, 0.7)[:20] + "\n")
    assert (rtts_ms(dump), dump.lines_not_understood) == ([0.9], (3,))


IPUTILS = """\
PING db.example (10.0.0.7) 56(84) bytes of data.
[1795222120.008962] 64 bytes from db.example (10.0.0.7): icmp_seq=1 ttl=64 time=0.541 ms
[1795222121.134962] 64 bytes from db.example (10.0.0.7): icmp_seq=2 ttl=64 time=121 ms
[1795222123.000000] no answer yet for icmp_seq=3
[1795222123.100000] From 10.0.0.1 icmp_seq=4 Destination Host Unreachable
64 bytes from 10.0.0.7: icmp_seq=5 ttl=64 time=1.52 ms (DUP!)

--- db.example ping statistics ---
5 packets transmitted, 3 received, +1 errors, 40% packet loss, time 4004ms
rtt min/avg/max/mdev = 0.541/41.020/121.000/3.200 ms
"""


def test_ping_of_iputils_with_times_and_answers_that_never_came() -> None:
    dump = read(IPUTILS)
    assert dump.kind == "ping"
    assert dump.probe_series == (
        ProbeSeries(1, "ping", "icmp", "db.example", "10.0.0.7", None, 5, 3, 1.001, 56),
    )
    second = 1_795_222_120 * 10**9
    assert list(dump.probes) == [
        Probe(2, 0, 1, second + 8_421_000, 0.541),
        Probe(3, 0, 2, second + 1_013_962_000, 121.0),
        Probe(4, 0, 3, None, None),
        Probe(5, 0, 4, None, None, PROBE_REFUSED),
        Probe(6, 0, 5, None, 1.52),
    ]


def test_an_answer_after_no_answer_yet_counts() -> None:
    lines = "no answer yet for icmp_seq=1\n64 bytes from 10.0.0.7: icmp_seq=1 ttl=64 time=1503 ms\n"
    assert rtts_ms(read("PING 10.0.0.7 (10.0.0.7) 56(84) bytes of data.\n" + lines)) == [1_503.0]


BUSYBOX = """\
PING 10.0.0.7 (10.0.0.7): 56 data bytes
64 bytes from 10.0.0.7: seq=0 ttl=64 time=0.123 ms
64 bytes from 10.0.0.7: seq=1 ttl=64 time=0.098 ms

--- 10.0.0.7 ping statistics ---
2 packets transmitted, 2 packets received, 0% packet loss
round-trip min/avg/max = 0.098/0.110/0.123 ms
"""
DARWIN = """\
PING 10.0.0.7 (10.0.0.7): 56 data bytes
Request timeout for icmp_seq 0
64 bytes from 10.0.0.7: icmp_seq=1 ttl=64 time=3.643 ms
"""
SIX = """\
PING db(fd00::7 (fd00::7)) 56 data bytes
64 bytes from fd00::7 (fd00::7): icmp_seq=1 ttl=64 time=0.123 ms
"""


@pytest.mark.parametrize(
    ("text", "address", "expected"),
    [(BUSYBOX, "10.0.0.7", [0.123, 0.098]), (DARWIN, "10.0.0.7", [None, 3.643]), (SIX, "fd00::7", [0.123])],
)
def test_other_pings(text: str, address: str, expected: list[float | None]) -> None:
    dump = read(text)
    assert (dump.probe_series[0].address, rtts_ms(dump)) == (address, expected)


def test_a_session_with_both_tools_crlf_and_a_prompt() -> None:
    session = (
        f"root@node-7:~# hping3 -1 db\n{TITLE}{answer(0, 1.9)}{ACCOUNT}root@node-7:~# ping db\n{BUSYBOX}"
    )
    dumps = parse_dumps(session.replace("\n", "\r\n"))
    assert [(dump.kind, dump.host, len(dump.probes)) for dump in dumps] == [
        ("hping3", "node-7", 1),
        ("ping", "node-7", 2),
    ]
    assert [dump.lines_not_understood for dump in dumps] == [(), ()]


def test_prefixes_of_a_log_collector_are_taken_off() -> None:
    text = "".join(f"[pod/probe-x7k2p/ping] {line}\n" for line in BUSYBOX.splitlines() if line)
    assert rtts_ms(read(text)) == [0.123, 0.098]


def test_lines_without_their_title_are_recognised() -> None:
    assert recognise_dump((answer(7, 1.0) + answer(8, 1.0)).encode()) == "hping3"
    dump = read("64 bytes from 10.0.0.7: icmp_seq=9 ttl=64 time=1.5 ms\n")
    assert dump.probe_series[0].address == "10.0.0.7"


@pytest.mark.skipif(
    "STALLSCOPE_EXTRA_CAPTURES" not in os.environ, reason="STALLSCOPE_EXTRA_CAPTURES is unset"
)
def test_every_listing_of_a_real_run_gives_all_its_round_trips() -> None:
    listings = sorted(Path(os.environ["STALLSCOPE_EXTRA_CAPTURES"]).glob("lab/rx-backlog*/hping3*.txt"))
    assert listings
    for listing in listings:
        dump = read(listing.read_text())
        printed = sum("len=" in line for line in listing.read_text().splitlines())
        assert printed - 12 <= len(dump.probes) <= printed
        assert max(rtt for rtt in rtts_ms(dump) if rtt is not None) < 900
