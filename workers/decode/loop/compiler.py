"""How the loop's functions are compiled."""

from __future__ import annotations

from typing import Any

from numba import njit

# Without numba's reference counting (nothing is allocated in the loop) each call is 3-4 times as quick.
# Bounds are checked because the bytes come from strangers; numpy's error model keeps divisions from raising.
_OPTIONS: Any = {"nogil": True, "boundscheck": True, "error_model": "numpy", "_nrt": False}

compiled: Any = njit(**_OPTIONS)
"""For functions that are called by compiled code only."""

entry: Any = njit(**_OPTIONS, cache=True)
"""For functions that Python calls: their machine code is kept on disk."""
