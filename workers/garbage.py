"""How often Python looks for garbage in processes that hold many objects which stay, and that freed memory is kept."""

from __future__ import annotations

import ctypes
import gc
from typing import Final

_COLLECTED_FROM_OBJECTS: Final = 500_000
"""New objects that nothing has freed."""
_NEVER_TRIMMED: Final = -1
_M_TRIM_THRESHOLD, _M_MMAP_MAX = -1, -4  # <malloc.h>


def collect_rarely() -> None:
    """Modules and reports are full of objects that stay: looking through them for garbage takes an eighth of a start,
    and half of the time in which a large report is made."""
    gc.set_threshold(_COLLECTED_FROM_OBJECTS)


def keep_freed_memory() -> None:
    """For processes that end with their work: arrays that NumPy frees are used again, where the C library (glibc,
    mallopt(3)) would give each back to the kernel and have the next one's pages cleared again. Large arrays are not
    mapped one by one: those of ten million rows are all larger than the largest that could be kept otherwise."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_MAX, 0)
        mallopt(_M_TRIM_THRESHOLD, _NEVER_TRIMMED)
