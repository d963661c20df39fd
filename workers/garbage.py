"""How often Python looks for garbage in processes that hold many objects which stay, and that freed memory is kept."""

from __future__ import annotations

import ctypes
import gc
from typing import Final

_COLLECTED_FROM_OBJECTS: Final = 500_000
"""New objects that nothing has freed."""
_MAPPED_FROM_BYTES: Final = 32 << 20
"""The highest that the C library takes."""
_TRIMMED_FROM_BYTES: Final = 1 << 30
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # <malloc.h>


def collect_rarely() -> None:
    """Modules and reports are full of objects that stay: looking through them for garbage takes an eighth of a start,
    and half of the time in which a large report is made."""
    gc.set_threshold(_COLLECTED_FROM_OBJECTS)


def keep_freed_memory() -> None:
    """For processes that end with their work: arrays that NumPy frees are used again, where the C library (glibc,
    mallopt(3)) would give each back to the kernel and have the next one's pages cleared again."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, _MAPPED_FROM_BYTES)
        mallopt(_M_TRIM_THRESHOLD, _TRIMMED_FROM_BYTES)
