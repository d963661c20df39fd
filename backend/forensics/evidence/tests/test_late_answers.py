"""What is usual where the path itself becomes longer or shorter: late is measured against the path of that time."""

from __future__ import annotations

import numpy as np
import pytest

from backend.forensics.evidence.round_trips.late_answers import usual
from backend.forensics.tests.build_capture import MS, S

SHORT_NS, LONG_NS = 4 * MS, 360 * MS


def base_of_last(rtt_ns: np.ndarray, over_s: float) -> int:
    """Of the last sample: 100 samples on the short path at 10 ms each, and then these over so many seconds."""
    sent_ns = np.arange(100) * 10 * MS
    sent_ns = np.concatenate([sent_ns, sent_ns[-1] + np.linspace(0.01, over_s, len(rtt_ns)) * S])
    rtt_ns = np.concatenate([np.full(100, SHORT_NS), rtt_ns])
    base, _ = usual(np.zeros(len(rtt_ns), np.int64), sent_ns.astype(np.int64), rtt_ns.astype(np.int64))
    return int(base[-1])


@pytest.mark.parametrize(
    ("samples", "over_s", "moved"), [(12, 2.1, True), (11, 2.1, False), (12, 1.9, False)]
)
def test_from_the_last_quick_answer_on_the_path_is_longer(
    samples: int, over_s: float, *, moved: bool
) -> None:
    assert base_of_last(np.full(samples, LONG_NS), over_s) == (LONG_NS if moved else SHORT_NS)


def test_a_queue_that_drains_in_between_does_not_move_what_is_usual() -> None:
    teeth = np.tile(np.linspace(SHORT_NS, LONG_NS, 10), 4)
    assert base_of_last(teeth, 4) < LONG_NS // 4


def test_a_queue_that_keeps_filling_does_not_move_what_is_usual() -> None:
    assert base_of_last(np.linspace(LONG_NS / 4, LONG_NS, 40), 4) == SHORT_NS
