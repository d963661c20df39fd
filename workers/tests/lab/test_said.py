"""What counts as named, missed and false on docs/truth.md, and how pauses of the machine are measured."""

from __future__ import annotations

import time
from dataclasses import replace

from workers.tests.lab.held import BEAT_S, LONG_S, HeldLog
from workers.tests.lab.said import Said
from workers.tests.lab.truth_page import page

LOST = Said(
    incident="loss-both",
    cause="path-loss",
    seed=1,
    said={"path-loss": 0.8, "return-path-loss": 0.6, "zero-window": 0.3},
    wanted=["path-loss"],
    true=["path-loss", "return-path-loss"],
    held_ms={},
    counts=[],
)
HEALTHY = replace(LOST, incident="loss-none", cause=None, said={"host-stall": 0.5}, wanted=[], true=[])


def test_a_cause_that_is_allowed_names_no_incident() -> None:
    assert (LOST.named, LOST.missed, LOST.false) == (0.8, False, {})
    beside = replace(LOST, said={"return-path-loss": 0.6})
    assert (beside.named, beside.missed, beside.false) == (None, True, {})


def test_a_cause_that_is_not_true_is_false_unless_it_rests_on_a_measured_pause() -> None:
    assert (HEALTHY.false, HEALTHY.of_pauses, HEALTHY.missed) == ({"host-stall": 0.5}, {}, False)
    held = replace(HEALTHY, held_ms={"host-stall": 120})
    assert (held.false, held.of_pauses) == ({}, {"host-stall": 0.5})


def test_the_page_counts_what_was_missed_false_and_said() -> None:
    missed = replace(LOST, seed=2, said={}, counts=["syn-retransmission: 3, not 4 to 5"])
    text = page([LOST, missed, HEALTHY], "abc1234")
    assert "seeds 1, 2 of the 5 that `make truth` makes by itself; 3 instances, 1 missed,\n" in text
    assert "\n1 false, 0 true of a measured pause" in text
    assert "1 number of findings other than" in text
    assert "loss-both seed 2 (syn-retransmission: 3, not 4 to 5)" in text
    assert "| `path-loss` | loss-both | 2 | 1 | 0.80 to 0.80 | 1 (seeds 2) | 0 |" in text
    assert "| 1 | `host-stall` 0.50 (1 of 1) | `host-stall` 0.50 (1 of 1) |" in text
    assert "| `cloud-allowance` | can't be made" in text


def test_a_loop_that_comes_around_late_was_held() -> None:
    log = HeldLog()
    beat = log.beat("wire")
    beat.around()
    time.sleep(BEAT_S + LONG_S + 0.03)
    beat.around()
    (held,) = log
    assert held.program == "wire"
    assert held.seconds > LONG_S
    assert abs(held.until_wall_s - time.time()) < 5


def test_a_pause_of_its_own_is_not_held() -> None:
    log = HeldLog()
    beat = log.beat("wire")
    beat.around(meant_s=1)
    assert list(log) == []
