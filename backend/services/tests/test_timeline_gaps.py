from __future__ import annotations

import pytest

from backend.errors import InvalidRequest
from backend.forensics.report_text import Glyph
from backend.services.cluster_marks import TimelineMark
from backend.services.timeline_gaps import FOLDS_MOST, TimelineGap, gaps_between, open_stretches, read_folds

SPAN = (0, 1000)


def mark(t: int, t_end: int | None = None, glyph: Glyph = "instant") -> TimelineMark:
    return TimelineMark(f"f:{t}", glyph, "neutral", "seen", t, t_end, ("a",), "", "f", None, (), None)


def test_time_between_marks_and_to_the_ends_of_the_data_is_a_gap() -> None:
    gaps = gaps_between([mark(300), mark(900), mark(320)], SPAN, SPAN, 99)
    assert gaps == (TimelineGap(0, 300), TimelineGap(320, 900), TimelineGap(900, 1000))


@pytest.mark.parametrize(("longer_than", "found"), [(579, 1), (580, 0)])
def test_only_longer_gaps_are_told(longer_than: int, found: int) -> None:
    assert len(gaps_between([mark(300), mark(320), mark(900)], SPAN, SPAN, longer_than)) == found


def test_a_ladder_and_a_counter_tell_of_their_ends_only() -> None:
    for glyph in ("ladder", "path", "pair", "step"):
        assert gaps_between([mark(100, 900, glyph)], SPAN, SPAN, 200) == (TimelineGap(100, 900),)


def test_a_stall_a_series_and_a_burst_fill_their_time() -> None:
    for glyph in ("band", "comb", "bracket"):
        assert gaps_between([mark(100, 900, glyph), mark(200)], SPAN, SPAN, 200) == ()


def test_guides_do_not_cut_gaps_and_no_mark_makes_none() -> None:
    assert gaps_between([mark(100), mark(500, None, "guide"), mark(950)], SPAN, SPAN, 200) == (
        TimelineGap(100, 950),
    )
    assert gaps_between([], SPAN, SPAN, 0) == ()


def test_a_gap_that_reaches_into_the_window_is_told_whole() -> None:
    marks = [mark(100), mark(500), mark(900)]
    assert gaps_between(marks, SPAN, (400, 450), 200) == (TimelineGap(100, 500),)
    assert gaps_between(marks, SPAN, (500, 600), 200) == (TimelineGap(500, 900),)


def test_marks_outside_the_data_move_no_end() -> None:
    assert gaps_between([mark(-400), mark(1400)], SPAN, SPAN, 500) == (TimelineGap(-400, 1400),)


def test_what_is_left_of_a_window() -> None:
    assert open_stretches((0, 100), ()) == ((0, 100),)
    assert open_stretches((0, 100), [(60, 200), (10, 20)]) == ((0, 10), (20, 60))
    assert open_stretches((0, 100), [(-5, 30), (20, 40)]) == ((40, 100),)
    assert open_stretches((0, 100), [(-5, 300)]) == ((0, 100),)


def test_folds_are_read_and_what_is_none_is_refused() -> None:
    assert read_folds("") == ()
    assert read_folds("-5~7,8~9") == ((-5, 7), (8, 9))
    for text in ("7", "7~7", "8~7", "1~2,", "1~2~3", ",".join(f"{n}~{n + 1}" for n in range(FOLDS_MOST + 1))):
        with pytest.raises(InvalidRequest):
            read_folds(text)
