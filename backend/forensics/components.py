"""What belongs together when pairs do."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def connected(left: Ints, right: Ints, size: int) -> Ints:
    """For each of `size` things the number of its group, when `left[i]` and `right[i]` are in one group.

    SciPy is imported here, by who needs it: a child that only decodes has no memory to spare for it.
    """
    if size == 0:
        return np.zeros(0, np.int64)
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(left), np.int8), (left, right)), shape=(size, size))
    labels: Ints = connected_components(graph, directed=False)[1].astype(np.int64)
    return labels
