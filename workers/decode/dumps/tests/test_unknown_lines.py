"""A text that holds little of a known format: quick where nothing is known, and what is known is found."""

from workers.decode.dumps import parse_dumps
from workers.decode.dumps.formats import dump_formats
from workers.decode.dumps.unknown_lines import ASKED_AT_LEAST, UnknownLines

_NEIGHBOR = "10.0.0.1 dev eth0 lladdr 02:00:00:00:00:01 REACHABLE"
_KERNEL = "[   84.291095] nf_conntrack: nf_conntrack: table full, dropping packet"


def _after(lines: int) -> UnknownLines:
    unknown = UnknownLines()
    for number in range(lines):
        unknown.add(f"worker {number % 7 + 1} waits")
    return unknown


def test_no_line_is_passed_by_before_a_thousand_were_asked_about() -> None:
    assert not _after(ASKED_AT_LEAST - 1).hold("worker 9 waits")
    assert _after(ASKED_AT_LEAST).hold("worker 9 waits")


def test_a_line_that_differs_in_more_than_digits_is_asked_about() -> None:
    unknown = _after(ASKED_AT_LEAST)
    assert not any(unknown.hold(line) for line in ("worker 10 waits", "worker a waits", "worker 9 waits "))


def test_an_owned_line_ends_the_stretch() -> None:
    unknown = _after(ASKED_AT_LEAST)
    unknown.end()
    assert not unknown.hold("worker 9 waits")


def test_listings_between_long_stretches_of_other_lines_are_read() -> None:
    noise = [f"worker {number} waits" for number in range(3 * ASKED_AT_LEAST)]
    dumps = parse_dumps("\n".join([*noise, _NEIGHBOR, *noise, _KERNEL]))
    assert [dump.kind for dump in dumps] == ["ip-neigh", "kernel-log"]
    assert sum(len(dump.lines_not_understood) for dump in dumps) == len(noise) * 2


def test_few_formats_are_asked_about_a_long_text_of_no_format() -> None:
    asked = 0
    format_ = dump_formats()[0]
    owns_line = format_.owns_line

    def counting(line: str) -> bool:
        nonlocal asked
        asked += 1
        return owns_line(line)

    format_.owns_line = counting  # type: ignore[method-assign]
    try:
        parse_dumps("\n".join(f"worker {number} waits" for number in range(20 * ASKED_AT_LEAST)))
    finally:
        format_.owns_line = owns_line  # type: ignore[method-assign]
    assert asked < 3 * ASKED_AT_LEAST
