"""Up to so many destinations each has a finding; beyond, the most hit have, and the others are counted."""

from __future__ import annotations

import pytest

from backend.forensics.detection.most_hit import FINDINGS_SHOWN, most_hit


@pytest.mark.parametrize("total", [0, 1, FINDINGS_SHOWN])
def test_as_many_as_are_shown_are_all_shown(total: int) -> None:
    assert most_hit([2] * total) == (list(range(total)), "")


def test_one_more_is_counted() -> None:
    shown, said = most_hit([2] * (FINDINGS_SHOWN + 1))
    assert shown == list(range(FINDINGS_SHOWN))
    assert said.startswith("; 1 destination with fewer of them")


def test_the_largest_are_shown_in_their_own_order() -> None:
    sizes = [1, 5, *[2] * FINDINGS_SHOWN, 9]
    shown, said = most_hit(sizes)
    assert len(shown) == FINDINGS_SHOWN
    assert (shown[0], shown[-1]) == (1, len(sizes) - 1)
    assert 0 not in shown
    assert said.startswith("; 3 destinations")
