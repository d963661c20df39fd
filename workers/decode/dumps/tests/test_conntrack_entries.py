from pathlib import Path

import pytest

from backend.forensics.dumps import ConntrackTuple, Dump
from workers.decode.dumps import parse_dumps

SAMPLES = Path(__file__).parent / "samples"


def parsed(name: str) -> Dump:
    (dump,) = parse_dumps((SAMPLES / name).read_bytes().decode())
    return dump


@pytest.mark.parametrize(
    ("name", "entries"),
    [
        ("conntrack-L.txt", 19),
        ("conntrack-L-all.txt", 17),
        ("conntrack-L-extended.txt", 19),
        ("conntrack-L-id.txt", 18),
        ("conntrack-L-ktimestamp.txt", 17),
        ("conntrack-L-ipv6.txt", 1),
        ("conntrack-L-empty.txt", 0),
        ("conntrack-L-crlf.txt", 40),
        ("proc-nf_conntrack.txt", 20),
    ],
)
def test_every_line_of_every_form_is_understood(name: str, entries: int) -> None:
    dump = parsed(name)
    assert dump.kind == "conntrack-list"
    assert len(dump.entries) == entries
    assert dump.lines_not_understood == ()
    assert dump.warnings == ()


def test_an_entry_has_both_tuples_state_timeout_and_flags() -> None:
    entry = parsed("conntrack-L.txt").entries[0]
    assert (entry.line, entry.protocol, entry.state, entry.timeout_s) == (2, "tcp", "TIME_WAIT", 111)
    assert entry.original == ConntrackTuple("10.58.14.13", "10.96.0.100", 10376, 443)
    assert entry.reply == ConntrackTuple("10.244.1.11", "10.58.14.13", 8080, 10376)
    assert entry.flags == ("ASSURED",)


def test_icmp_has_no_ports_and_no_state() -> None:
    entry = parsed("conntrack-L.txt").entries[1]
    assert (entry.protocol, entry.state, entry.timeout_s) == ("icmp", "", 22)
    assert (entry.original.source_port, entry.original.destination_port) == (0, 0)


def test_proc_writes_ipv6_in_full_and_it_is_shortened() -> None:
    entries = parsed("proc-nf_conntrack.txt").entries
    assert {entry.original.source for entry in entries if ":" in entry.original.source} == {"fd00:10::13"}


def test_an_entry_that_the_closing_line_cut_is_put_together() -> None:
    lines = (SAMPLES / "conntrack-L-all.txt").read_text().split("\n")
    cut = next(n for n, line in enumerate(lines, 1) if "dport=1conntrack v1.4.7" in line)
    (entry,) = [entry for entry in parsed("conntrack-L-all.txt").entries if entry.line == cut]
    assert entry.reply.destination_port == 12272


def test_an_entry_cut_short_is_not_understood() -> None:
    whole = (SAMPLES / "conntrack-L-crlf.txt").read_text().split("\n")
    (dump,) = parse_dumps("\n".join([whole[0], whole[1][:120], whole[2]]))
    assert dump.lines_not_understood == (2,)
    assert [entry.line for entry in dump.entries] == [1, 3]


def test_a_listing_with_fewer_entries_than_it_counted_is_named() -> None:
    lines = (SAMPLES / "conntrack-L.txt").read_text().split("\n")
    (dump,) = parse_dumps("\n".join(lines[:5]))
    assert dump.warnings == ("conntrack counted 19 entries, this text holds 4: the text is incomplete",)


@pytest.mark.parametrize("port", ["65536", "-1", "1_0", "٣", "9" * 5000])
def test_an_impossible_port_is_not_understood(port: str) -> None:
    reply = "src=2.2.2.2 dst=1.1.1.1 sport=1 dport=2 use=1"
    entry = "tcp      6 9 CLOSE src=1.1.1.1 dst=2.2.2.2 sport={} dport=1 " + reply
    (dump,) = parse_dumps(f"{entry.format(7)}\n{entry.format(port)}\n")
    assert dump.lines_not_understood == (2,)
