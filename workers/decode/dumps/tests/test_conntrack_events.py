from pathlib import Path

import pytest

from backend.forensics.dumps import Dump
from workers.decode.dumps import parse_dumps

SAMPLES = Path(__file__).parent / "samples"


def parsed(name: str) -> Dump:
    (dump,) = parse_dumps((SAMPLES / name).read_text())
    return dump


@pytest.mark.parametrize(
    ("name", "events"),
    [
        ("conntrack-E-none.txt", 9),
        ("conntrack-E-timestamp.txt", 8),
        ("conntrack-E-ktimestamp.txt", 10),
        ("conntrack-E-all.txt", 10),
    ],
)
def test_every_line_of_every_form_is_understood(name: str, events: int) -> None:
    dump = parsed(name)
    assert dump.kind == "conntrack-events"
    assert len(dump.entries) == events
    assert dump.lines_not_understood == ()


def test_the_first_event_dates_the_listing_to_the_microsecond() -> None:
    dump = parsed("conntrack-E-timestamp.txt")
    assert dump.entries[0].time_ns == 1_795_222_720_559_651_000
    assert (dump.captured_at_ns, dump.captured_at_basis) == (1_795_222_720_559_651_000, "text")
    assert dump.entries[0].event == "NEW"
    assert dump.entries[-1].event == "DESTROY"


def test_without_timestamps_nothing_is_dated() -> None:
    dump = parsed("conntrack-E-none.txt")
    assert (dump.captured_at_ns, dump.captured_at_basis) == (None, "unknown")
    assert {entry.time_ns for entry in dump.entries} == {None}


def test_an_expired_connection_has_a_state_and_no_timeout() -> None:
    entry = parsed("conntrack-E-all.txt").entries[0]
    assert (entry.event, entry.state, entry.timeout_s) == ("DESTROY", "CLOSE", None)


def test_the_destroy_line_of_older_tools_has_neither() -> None:
    original, reply = "src=1.1.1.1 dst=2.2.2.2 sport=7 dport=8", "src=2.2.2.2 dst=1.1.1.1 sport=8 dport=7"
    (dump,) = parse_dumps(f"[DESTROY] tcp      6 {original} {reply}\n")
    assert (dump.entries[0].state, dump.entries[0].timeout_s) == ("", None)


def test_lost_events_are_a_warning() -> None:
    lost = (
        "WARNING: We have hit ENOBUFS! We are losing events.\n"
        "This message means that the current netlink socket buffer size is too small.\n"
        "Please, check --buffer-size in conntrack(8) manpage.\n"
    )
    events = (SAMPLES / "conntrack-E-timestamp.txt").read_text()
    (dump,) = parse_dumps(lost + events)
    assert dump.lines_not_understood == ()
    assert "lost events (line 1)" in dump.warnings[0]
