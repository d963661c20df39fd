from pathlib import Path

import pytest

from workers.decode.dumps import parse_dumps

SAMPLES = Path(__file__).parent / "samples"


@pytest.mark.parametrize(
    ("name", "kind", "entries"),
    [
        ("conntrack-L-save.txt", "conntrack-list", 18),
        ("conntrack-L-xml.txt", "conntrack-list", 18),
        ("conntrack-E-xml.txt", "conntrack-events", 9),
    ],
)
def test_every_line_is_understood(name: str, kind: str, entries: int) -> None:
    (dump,) = parse_dumps((SAMPLES / name).read_text())
    assert (dump.kind, len(dump.entries), dump.lines_not_understood) == (kind, entries, ())


def test_the_saved_form_is_read_like_the_listing() -> None:
    (saved,) = parse_dumps((SAMPLES / "conntrack-L-save.txt").read_text())
    entry = saved.entries[0]
    assert (entry.line, entry.protocol, entry.state, entry.timeout_s) == (2, "tcp", "TIME_WAIT", 110)
    assert (entry.original.source_port, entry.reply.source) == (10376, "10.244.1.11")
    assert entry.flags == ("ASSURED", "SEEN_REPLY")
    assert saved.entries[2].flags == ("UNREPLIED",)


def test_an_xml_line_cut_short_is_not_understood() -> None:
    lines = (SAMPLES / "conntrack-L-xml.txt").read_text().split("\n")
    flow = next(n for n, line in enumerate(lines) if line.startswith("<flow"))
    lines[flow] = lines[flow][:300]
    (dump,) = parse_dumps("\n".join(lines))
    assert dump.lines_not_understood == (flow + 1,)
    assert len(dump.entries) == 17
