"""A parser that breaks loses its own listing and says so; the listings around it are read."""

import logging
from collections.abc import Sequence
from typing import NoReturn

import pytest

from backend.forensics.isolation import Isolation
from workers.decode.dumps import parse_dumps
from workers.decode.dumps.formats import dump_formats

SECRET = "198.51.100.77"
UNAME = "Linux node-7 6.1.0-56-cloud-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.192-2 x86_64 GNU/Linux"
SETTING = "net.ipv4.tcp_tw_reuse = 2"
STATS = "cpu=0  \tfound=1 invalid=2 insert=0 insert_failed=3 drop=0 early_drop=0 error=0 search_restart=4"
TEXTS = {"uname": UNAME, "sysctl": SETTING, "conntrack-stats": STATS}


class BrokenError(Exception):
    """What no parser raises."""


def broken(lines: Sequence[str], first_line: int) -> NoReturn:
    raise BrokenError(SECRET)


@pytest.mark.parametrize("kind", TEXTS)
def test_the_listings_around_it_are_read(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    text = "\n".join(TEXTS.values())
    whole = parse_dumps(text)
    assert [dump.kind for dump in whole] == [*TEXTS]
    (format_,) = (each for each in dump_formats() if kind == each.KIND)
    monkeypatch.setattr(format_, "parse", broken)
    with pytest.raises(BrokenError):
        parse_dumps(text)
    monkeypatch.setattr(Isolation, "strict", False)
    with caplog.at_level(logging.ERROR):
        found = parse_dumps(text)
    (lost,) = (dump for dump in found if dump.kind == kind)
    line = [*TEXTS].index(kind) + 1
    assert lost.lines_not_understood == (line,)
    assert lost.warnings == (
        f"The parser of {kind} broke (BrokenError) on the dump at line {line}: not read.",
    )
    assert [dump for dump in found if dump.kind != kind] == [dump for dump in whole if dump.kind != kind]
    assert "test_broken_parsers.py" in caplog.text
    assert SECRET not in caplog.text
