"""Sorts of many messages by several numbers."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backend.forensics.evidence.sightings import Ints

_LARGEST: Final = 2**63


def order_by(time_ns: NDArray[np.integer], *keys: NDArray[np.integer]) -> Ints:
    """``np.lexsort((time_ns, *reversed(keys)))`` for keys of 0 and more: where they fit into one number together, with
    one sort by it, and one by time where rows are not in its order already."""
    largest = [int(key.max(initial=0)) + 1 for key in keys]
    if math.prod(largest) >= _LARGEST:
        return np.lexsort((time_ns, *reversed(keys)))
    together = np.zeros(len(time_ns), np.int64)
    for key, size in zip(keys, largest, strict=True):
        together = together * size + key
    if bool((time_ns[1:] >= time_ns[:-1]).all()):
        return np.argsort(together, kind="stable")
    by_time = np.argsort(time_ns, kind="stable")
    ordered: Ints = by_time[np.argsort(together[by_time], kind="stable")]
    return ordered
