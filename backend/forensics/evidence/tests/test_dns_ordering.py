"""One sort by several numbers gives what a sort by each gives."""

from __future__ import annotations

import numpy as np
import pytest

from backend.forensics.evidence.dns.ordering import order_by


@pytest.mark.parametrize("in_time_order", [True, False])
@pytest.mark.parametrize("largest", [3, 2**31, 2**32], ids=["small", "just fits", "does not fit"])
def test_the_order_is_that_of_lexsort(largest: int, in_time_order: bool) -> None:
    random = np.random.default_rng(7)
    time_ns = random.integers(0, 50, 400)
    if in_time_order:
        time_ns = np.sort(time_ns)
    keys = [random.integers(0, 4, 400) for _ in range(2)]
    keys[0][:2] = largest - 1, 0
    keys[1][:2] = 2**31 - 1, 2
    assert order_by(time_ns, *keys).tolist() == np.lexsort((time_ns, *reversed(keys))).tolist()


def test_nothing_has_an_order() -> None:
    nothing = np.zeros(0, np.int64)
    assert len(order_by(nothing, nothing)) == 0
