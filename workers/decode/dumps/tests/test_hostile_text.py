"""Whatever is pasted: no parser raises, and every line is accounted for."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backend.forensics.dumps import Dump
from workers.decode.dumps import parse_dump_bytes, parse_dumps, recognise_dump
from workers.decode.dumps.formats import dump_formats

SAMPLES = Path(__file__).parent / "samples"
REAL_LINES = sorted(
    {line for sample in SAMPLES.iterdir() for line in sample.read_text().split("\n")[:12]}
    | {"root@node:~# conntrack -S", "=== 2026-11-21T00:44:09Z", "Sat Nov 21 00:58:22 UTC 2026", "$ date"}
)
mutated_lines = st.one_of(
    st.sampled_from(REAL_LINES),
    st.tuples(st.sampled_from(REAL_LINES), st.integers(0, 300), st.text(max_size=5)).map(
        lambda cut: cut[0][: cut[1]] + cut[2] + cut[0][cut[1] + 1 :]
    ),
    st.text(max_size=60),
)


def assert_accounted_for(text: str, dumps: list[Dump]) -> None:
    lines = text.removeprefix("\ufeff").split("\n")
    lines_total = len(lines) - (lines[-1] == "")
    if dumps:
        assert sum(dump.lines for dump in dumps) == lines_total
    numbers = [number for dump in dumps for number in dump.lines_not_understood]
    assert len(numbers) == len(set(numbers))
    assert all(1 <= number <= lines_total and lines[number - 1].strip() for number in numbers)


@settings(deadline=None, max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(mutated_lines, max_size=30))
def test_damaged_listings_never_raise_and_lose_no_line(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert_accounted_for(text, parse_dumps(text))


@settings(deadline=None, max_examples=100)
@given(st.binary(max_size=400))
def test_any_bytes_never_raise(content: bytes) -> None:
    recognise_dump(content)
    parse_dump_bytes(content)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.text(max_size=80), max_size=10))
def test_each_parser_takes_any_lines(lines: list[str]) -> None:
    for format_ in dump_formats():
        assert 0.0 <= format_.recognise(lines) <= 1.0
        dump = format_.parse(lines, 5)
        assert dump.lines == len(lines)
        assert all(5 <= number < 5 + len(lines) for number in dump.lines_not_understood)


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        " ",
        "\t",
        "[",
        "src=",
        "1: ",
        "cpu=0 ",
        "table ip nat {",
        "-A X ",
        '"',
        "root@a ",
        "= ",
        "# ",
        "0 ",
        "[0:0] -A X ",
    ],
)
def test_a_line_of_a_megabyte_is_read_in_a_moment(unit: str) -> None:
    # Backtracking that is not linear would not come back from this.
    line = unit * (1_000_000 // len(unit))
    parse_dumps(f"{line}\ncpu=0 found=1 {line}\n-A POSTROUTING {line}\n{line}")
    recognise_dump(line.encode())
