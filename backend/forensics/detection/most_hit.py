"""Which destinations get a finding of their own where there are more than anybody reads one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backend.forensics.findings import plural

FINDINGS_SHOWN: Final = 100
"""Destinations: a scan has a hundred thousand."""


def most_hit(sizes: Sequence[int] | NDArray[np.int64], most: int = FINDINGS_SHOWN) -> tuple[list[int], str]:
    """(positions of the largest groups, of equals the first; in order. What is said of the others, if any)."""
    order = np.lexsort((np.arange(len(sizes)), -np.asarray(sizes, np.int64)))
    shown: list[int] = np.sort(order[:most]).tolist()
    others = len(sizes) - len(shown)
    if not others:
        return shown, ""
    more = plural(others, "destination")
    return shown, f"; {more} with fewer of them are counted here without a finding of their own"
