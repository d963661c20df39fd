from __future__ import annotations

import pytest

from backend.forensics.dumps import Dump
from backend.services.recognise_text import (
    LINES_SHOWN,
    LOOKED_AT_BYTES,
    read_nothing,
    recognise_text,
)


def strange_lines(content: bytes) -> list[Dump]:
    """A format of one word a line, of which those that begin with ``?`` are not understood."""
    lines = content.decode().split("\n")[:-1]
    strange = tuple(n for n, line in enumerate(lines, start=1) if line.startswith("?"))
    return [Dump(kind="words", lines=len(lines), lines_not_understood=strange)]


def test_lines_that_nobody_understands_are_shown_with_their_text() -> None:
    found = recognise_text("a\n? b\nc\n?\n", strange_lines)
    assert (found.kind, found.lines) == ("words", 4)
    assert [(line.n, line.text) for line in found.lines_not_understood] == [(2, "? b"), (4, "?")]


def test_a_text_of_no_known_dump_has_no_kind() -> None:
    found = recognise_text("hello there\n", read_nothing)
    assert (found.kind, found.lines, found.lines_not_understood) == ("", 1, ())


def test_several_dumps_are_named_once_each() -> None:
    def both(_content: bytes) -> list[Dump]:
        return [Dump(kind, 1, ()) for kind in ("one", "two", "one")]

    assert recognise_text("x\n", both).kind == "one+two"


@pytest.mark.parametrize(("strange", "shown"), [(LINES_SHOWN, LINES_SHOWN), (LINES_SHOWN + 1, LINES_SHOWN)])
def test_so_many_lines_are_shown(strange: int, shown: int) -> None:
    assert len(recognise_text("?\n" * strange, strange_lines).lines_not_understood) == shown


def test_a_line_cut_by_the_limit_is_not_judged() -> None:
    line = "?" * 99 + "\n"
    whole_lines = LOOKED_AT_BYTES // 100
    seen: list[bytes] = []

    def remember(content: bytes) -> list[Dump]:
        seen.append(content)
        return []

    found = recognise_text(line * (whole_lines + 5), remember)
    assert seen == [line.encode() * whole_lines]
    assert found.lines == whole_lines + 5
