from __future__ import annotations

import json
from dataclasses import asdict, replace

import pytest

from backend.forensics.report import EvidencePart, Role
from backend.forensics.report_text import Glyph
from backend.services.cluster_marks import (
    FRAMES_OF_ONE,
    HARD_LIMIT,
    MOST_BYTES,
    WANTED,
    TimelineMark,
    cluster,
    marks_between,
)


def mark(
    number: int, t: int, *, glyph: Glyph = "instant", role: Role = "neutral", lane: str = "a"
) -> TimelineMark:
    return TimelineMark(f"f:{number}", glyph, role, "seen", t, None, (lane,), "", "f", None, (), None)


def test_up_to_a_thousand_marks_nothing_is_grouped() -> None:
    marks = [mark(n, n) for n in range(WANTED)]
    assert cluster(marks, 1.0) == marks


def test_one_more_is_grouped_by_eight_pixels() -> None:
    clustered = cluster([mark(n, n) for n in range(WANTED + 1)], 1.0)
    assert len(clustered) == 126
    assert sum(shown.count or 1 for shown in clustered) == WANTED + 1


@pytest.mark.parametrize(
    ("glyphs", "survivor"),
    [
        (("instant", "missing", "pair"), "missing"),
        (("instant", "repeat", "pair"), "pair"),
        (("bracket", "band", "instant"), "band"),
        (("instant", "guide"), "guide"),
    ],
)
def test_the_weightiest_glyph_stands_for_its_cell(glyphs: tuple[Glyph, ...], survivor: Glyph) -> None:
    many = [mark(n, 0, glyph=glyphs[n % len(glyphs)]) for n in range(WANTED + 1)]
    assert [shown.glyph for shown in cluster(many, 1.0)] == [survivor]


def test_a_single_loss_among_a_million_survives() -> None:
    crowd = [mark(n, n * 10, lane=f"lane {n % 12}") for n in range(100_000)]
    loss = mark(-1, 500_005, glyph="missing", role="loss", lane="lane 3")
    clustered = cluster([*crowd, loss], 1_000_000 / 1440)
    assert len(clustered) <= HARD_LIMIT
    assert loss in clustered


def test_never_more_than_the_hard_limit() -> None:
    roles: tuple[Role, ...] = ("loss", "stall", "burst", "collision", "ok", "neutral")
    crowd = [mark(n, n * 10, role=roles[n % 6], lane=f"lane {n % 11}") for n in range(50_000)]
    assert len(cluster(crowd, 500_000 / 1440)) <= HARD_LIMIT


def test_a_long_mark_is_in_every_window_it_touches() -> None:
    band = TimelineMark("f:1", "band", "stall", "seen", 10, 90, ("a",), "", "f", None, (), None)
    assert marks_between([band], 50, 60, None) == [band]
    assert marks_between([band], 91, 99, None) == []
    assert marks_between([band], 50, 60, "another finding") == []


def _json_bytes(marks: list[TimelineMark]) -> int:
    return len(json.dumps([asdict(each) for each in marks], default=EvidencePart.model_dump))


@pytest.mark.parametrize(("parts", "frames", "label"), [(1, 1, 20), (3, 2, 60), (8, 400, 120)])
def test_marks_with_much_evidence_stay_a_short_answer(parts: int, frames: int, label: int) -> None:
    part = EvidencePart(input="node-with-a-long-name.pcap.gz", frames=[*range(5_000_000, 5_000_000 + frames)])
    marks = [
        replace(mark(n, n * 1_000_000), evidence=(part,) * parts, label="w" * label) for n in range(WANTED)
    ]
    loss = mark(-1, 500_000_005, glyph="missing", role="loss")
    shown = cluster(sorted([*marks, loss], key=lambda each: each.t), 1_000_000)
    assert _json_bytes(shown) < MOST_BYTES * 1.15
    assert len(shown) > 100
    assert any(each.role == "loss" for each in shown)


def test_one_mark_keeps_its_first_frames_only() -> None:
    part = EvidencePart(input="a.pcap", frames=[*range(1, 1_001)])
    (shown,) = cluster([replace(mark(1, 1), evidence=(part,))], 1.0)
    assert shown.evidence[0].frames == part.frames[:FRAMES_OF_ONE]
