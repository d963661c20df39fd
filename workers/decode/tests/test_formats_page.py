"""The page of formats says what the tests run over."""

from __future__ import annotations

from pathlib import Path

import pytest

from workers.decode.dumps import parse_dump_bytes
from workers.decode.dumps.formats import DumpFormat, dump_formats
from workers.decode.tests.container_formats import CONTAINERS
from workers.decode.tests.formats_page import PAGE, formats_text


def test_the_page_is_current() -> None:
    current = PAGE.read_text(encoding="utf-8") == formats_text()
    assert current, "run: python -m workers.decode.tests.formats_page"


@pytest.mark.parametrize("test", sorted({one.test for one in CONTAINERS}))
def test_each_container_names_a_test_that_exists(test: str) -> None:
    assert Path(__file__).with_name(test).is_file()


SAMPLES = Path(__file__).parents[1] / "dumps" / "tests" / "samples"
PASTED = Path(__file__).with_name("samples") / "pasted"
THREADS = Path(__file__).with_name("samples") / "threads"


@pytest.mark.parametrize("format_", dump_formats(), ids=lambda format_: format_.__name__.rpartition(".")[2])
def test_each_dump_format_reads_a_sample(format_: DumpFormat) -> None:
    # A format owns no entries that the compiled scanner reads before it, nor packets, which are marked before.
    scanned = ("conntrack-list", "conntrack-events", "tcpdump-text")
    for sample in (*SAMPLES.iterdir(), *PASTED.iterdir(), *THREADS.iterdir()):
        kinds = {dump.kind for dump in parse_dump_bytes(sample.read_bytes())}
        lines = sample.read_text(errors="replace").splitlines()
        if format_.KIND in kinds and (format_.KIND in scanned or any(map(format_.owns_line, lines))):
            return
    pytest.fail(f"no sample of {format_.KIND}")
