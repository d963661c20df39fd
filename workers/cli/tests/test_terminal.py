import io
import re

import pytest

from workers.cli.terminal import render_terminal
from workers.cli.terminal_text import visible, wants_colour
from workers.cli.tests.reports import collision_report, empty_report, served_report

ESCAPES = "\x1b[2J\x07\r\n\u202e\x9b31m"


def rendered(**options: object) -> str:
    return render_terminal(collision_report(**options), width=80, colour=False)  # type: ignore[arg-type]


def test_the_first_line_is_the_verdict_and_the_second_the_statement() -> None:
    lines = rendered().split("\n")
    assert lines[0] == "CONFIRMED  Loss: SNAT source-port collision"
    assert lines[1] == "29 of 600 connections waited 1 s"


def test_commands_stand_whole_on_one_line_with_their_undo() -> None:
    lines = rendered().split("\n")
    change = [line for line in lines if "--random-fully" in line]
    assert change == [
        "  change       $ iptables -t nat -I POSTROUTING -s 10.0.0.0/8 -j MASQUERADE --random-fully"
    ]
    assert "  undo         $ iptables -t nat -D POSTROUTING -j MASQUERADE" in lines


def test_what_is_read_and_not_typed_has_no_prompt() -> None:
    report = collision_report()
    prose = {
        "check": "the pool's settings",
        "command": "preStop: sleep 130",
        "undo": "Boot the previous kernel",
    }
    remedy = report.diagnoses[0].remedies[0].model_copy(update=prose)
    report.diagnoses[0] = report.diagnoses[0].model_copy(update={"remedies": [remedy]})
    text = render_terminal(report, width=80, colour=False)
    assert "  check        the pool's settings" in text
    assert "preStop: sleep 130" in text
    assert "$ preStop" not in text
    assert "  undo         Boot the previous kernel" in text


def test_claims_come_with_frames_and_lines() -> None:
    text = rendered()
    assert "any.pcap#3130 #3131" in text
    assert "S.txt:1 :2" in text


def test_what_speaks_against_is_never_empty() -> None:
    assert "Nothing was found. It would be refuted by a lost SYN on eth0." in rendered()
    assert "  - one SYN left after all" in rendered(against=True)


def test_rivals_missing_evidence_and_what_was_not_checked_are_there() -> None:
    text = rendered()
    assert "undecided    node-drop: no dump" in text
    assert "$ conntrack -S; sleep 60; conntrack -S" in text
    assert "Not in this version: dns-delay." in text
    assert "9 lines, 2 not understood" in text


def test_no_number_claims_to_measure_the_confidence() -> None:
    assert "0.95" not in rendered()
    assert "95" not in rendered()


def test_a_clean_report_says_what_was_looked_for_and_praises_nothing() -> None:
    text = render_terminal(empty_report(), width=80, colour=False)
    assert text.startswith("NOTHING FOUND  Checked on these inputs, none found: syn-retransmission.\n")
    assert "rtt-backlog: not checked. no probes in the capture." in text
    assert "healthy" not in text.lower()


@pytest.mark.parametrize("colour", [True, False])
def test_nothing_in_a_file_can_steer_the_terminal(colour: bool) -> None:
    hostile = render_terminal(collision_report(hostile=ESCAPES), width=80, colour=colour)
    for character in ("\x07", "\r", "\u202e", "\x9b"):
        assert character not in hostile
    assert "\x1b" not in re.sub(r"\x1b\[[\d;]{1,4}m", "", hostile)
    assert "\\x1b[2J" in hostile


def test_letters_of_every_language_stay() -> None:
    assert visible("Zürich 東京 µs ≥ –") == "Zürich 東京 µs ≥ –"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_colour_only_on_a_terminal_and_never_against_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert wants_colour(Terminal())
    assert not wants_colour(io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not wants_colour(Terminal())


def test_an_undecided_cause_beside_an_answer_shows_evidence_without_steps_and_remedies() -> None:
    report = collision_report()
    undecided = report.diagnoses[0].model_copy(update={"verdict": "cannot-tell", "title": "Another cause"})
    report.diagnoses.append(undecided)
    text = render_terminal(report, width=80, colour=False)
    first, _, second = text.partition("UNDECIDED  Loss: Another cause")
    second = second.partition("Outcomes")[0]
    assert "What happened" in first
    assert "--random-fully" in first
    assert "Supporting evidence" in second
    assert "Contradicting evidence" in second
    assert "What happened" not in second
    assert "--random-fully" not in second
    # Alone it is the answer, shown whole.
    alone = render_terminal(report.model_copy(update={"diagnoses": [undecided]}), width=80, colour=False)
    assert "What happened" in alone
    assert "--random-fully" in alone


@pytest.mark.parametrize("verdict", ["possible", "cannot-tell"])
def test_what_is_not_sure_asks_to_find_out_before_any_change(verdict: str) -> None:
    text = rendered(verdict=verdict)
    assert text.index("Do now, to find out") < text.index("If confirmed (plain iptables)")
    assert "sure" not in text.replace("measure", "")


def test_served_requests_are_shown_by_shape_with_what_cost_most() -> None:
    text = render_terminal(served_report(hostile=ESCAPES), width=200, colour=False)
    assert "Of the 3,865 ms that 60 served requests took, metadata calls cost most: 71 %." in text
    assert "(53×, p50 70.9 ms, p95 1,082.2 ms)" in text
    assert "metadata 51.1 ms, upstream calls 14.8 ms, own processing 3.4 ms; calls credentials ×2" in text
    assert "examples: any.pcap#7 (68 ms)" in text
    assert "\x1b" not in text
    assert "What served requests" not in rendered()


@pytest.mark.parametrize(("shapes", "shown"), [(10, 10), (11, 10)])
def test_the_dearest_shapes_are_shown_and_the_others_counted(shapes: int, shown: int) -> None:
    text = render_terminal(served_report(shapes=shapes), width=200, colour=False)
    assert text.count("* GET /v1/ads") == shown
    assert "10 more shapes" in text
