from pathlib import Path

import pytest

from workers.decode.dumps import parse_dump_bytes, parse_dumps, recognise_dump

SAMPLES = Path(__file__).parent / "samples"
STATS = "cpu=0   \tfound=1 insert_failed={} drop=0\n"

SESSION = f"""\
root@node-7:~# date
Sat Nov 21 00:58:22 UTC 2026
root@node-7:~# conntrack -S; sleep 60; conntrack -S
{STATS.format(0)}{STATS.format(29)}\
[root@node-7 ~]# ls /tmp
core.1234
root@node-7:~# iptables-save -t nat | grep MASQ
-A POSTROUTING -s 10.0.0.0/8 -j MASQUERADE
$ uname -r
6.1.0-56-cloud-amd64
root@node-7:~#
"""


def test_a_shell_session_is_split_at_its_prompts() -> None:
    dumps = parse_dumps(SESSION)
    assert [dump.kind for dump in dumps] == ["conntrack-stats", "conntrack-stats", "iptables-save", "uname"]
    assert {dump.host for dump in dumps} == {"node-7"}


def test_a_date_dates_one_dump_of_each_kind() -> None:
    first, second, rules, _ = parse_dumps(SESSION)
    assert (first.captured_at_ns, first.captured_at_basis) == (1_795_222_702 * 10**9, "text")
    assert (second.captured_at_ns, second.captured_at_basis) == (None, "unknown")
    assert rules.captured_at_ns == first.captured_at_ns


def test_lines_of_nobody_are_counted_with_their_numbers() -> None:
    dumps = parse_dumps(SESSION)
    assert [dump.lines_not_understood for dump in dumps] == [(), (7,), (), ()]
    assert sum(dump.lines for dump in dumps) == SESSION.count("\n")


def test_lines_before_the_first_dump_are_counted_too() -> None:
    (dump,) = parse_dumps(f"hello\nworld\n\n{STATS.format(1)}")
    assert dump.lines_not_understood == (1, 2)
    assert dump.lines == 4


def test_ruled_times_make_a_series() -> None:
    text = f"=== 2026-11-21T00:44:09.553Z\n{STATS.format(0)}=== 2026-11-21T00:44:16.130Z\n{STATS.format(3)}"
    times = [dump.captured_at_ns for dump in parse_dumps(text)]
    assert times == [1_795_221_849_553_000_000, 1_795_221_856_130_000_000]


def test_epoch_seconds_count_as_a_time_only_behind_date() -> None:
    behind_date = f"$ date +%s.%N\n1795221849.553000000\n$ conntrack -S\n{STATS.format(0)}"
    assert parse_dumps(behind_date)[0].captured_at_ns == 1_795_221_849_553_000_000
    (dump,) = parse_dumps(f"1795221849\n{STATS.format(0)}")
    assert dump.captured_at_ns is None
    assert dump.lines_not_understood == (1,)


def test_windows_line_ends_and_byte_order_marks_change_nothing() -> None:
    lines = (SAMPLES / "conntrack-L.txt").read_text()
    plain = parse_dumps(lines)
    assert parse_dumps("\ufeff" + lines.replace("\n", "\r\n")) == plain
    assert parse_dump_bytes(lines.encode("utf-8-sig")) == plain
    assert parse_dump_bytes(b"\xff\xfe" + lines.encode("utf-16-le")) == plain


def test_line_numbers_are_an_editors_even_behind_form_feeds() -> None:
    (dump,) = parse_dumps(f"a\x0cb\u2028c\n{STATS.format(1)}")
    assert dump.counters[0].line == 2


@pytest.mark.parametrize(
    "text", ["", "\n\n", "hello\n", "# a comment\n", "$100 in total\n", "-- \nbest wishes\n"]
)
def test_a_text_without_a_dump_holds_none(text: str) -> None:
    assert parse_dumps(text) == []
    assert recognise_dump(text.encode()) is None


@pytest.mark.parametrize("sample", sorted(path.name for path in SAMPLES.iterdir()))
def test_the_head_of_a_file_tells_its_kind(sample: str) -> None:
    content = (SAMPLES / sample).read_bytes()
    assert recognise_dump(content[:4096]) == parse_dump_bytes(content)[0].kind


def test_bytes_of_a_capture_are_no_dump() -> None:
    assert recognise_dump(b"\xd4\xc3\xb2\xa1\x02\x00\x04\x00" + b"\x00" * 16) is None
