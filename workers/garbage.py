"""How often Python looks for garbage in processes that hold many objects which stay."""

from __future__ import annotations

import gc
from typing import Final

_COLLECTED_FROM_OBJECTS: Final = 500_000
"""New objects that nothing has freed."""


def collect_rarely() -> None:
    """Modules and reports are full of objects that stay: looking through them for garbage takes an eighth of a start,
    and half of the time in which a large report is made."""
    gc.set_threshold(_COLLECTED_FROM_OBJECTS)
