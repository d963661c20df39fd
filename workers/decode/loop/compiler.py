"""How the loop's functions are compiled."""

from __future__ import annotations

from typing import Any

from numba import njit

# Bounds are checked because the bytes come from strangers; numpy's error model keeps divisions free of exceptions.
compiled: Any = njit(nogil=True, boundscheck=True, error_model="numpy")
"""For functions that are called by compiled code only."""

entry: Any = njit(nogil=True, boundscheck=True, error_model="numpy", cache=True)
"""For functions that Python calls: their machine code is kept on disk."""
