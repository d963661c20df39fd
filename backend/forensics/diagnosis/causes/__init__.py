"""One cause a file, found by name: `CAUSE`, `TITLE` and `assess(facts, findings)`."""

from __future__ import annotations

import pkgutil
from functools import lru_cache


@lru_cache(maxsize=1)
def list_causes() -> tuple[str, ...]:
    """The names of all causes, sorted; none is loaded for it. A file or folder is named after its cause."""
    names = (entry.name for entry in pkgutil.iter_modules(__path__))
    return tuple(sorted(name.replace("_", "-") for name in names if name != "tests"))
