"""How much memory each child may have: all of them together stay below a share of what the machine has."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final

from backend.limits import Limits

_LEAST_BYTES: Final = 1 << 30
"""A child that decodes needs 0.4 GB, however small the machine is."""
_CGROUP_FILES: Final = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


def memory_bytes(cgroup_files: Iterable[Path] = _CGROUP_FILES) -> int:
    """Of the machine, or of the container where that has less."""
    found = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    for file in cgroup_files:
        try:
            found.append(int(file.read_text(encoding="ascii")))
        except (OSError, ValueError):  # no such group, or "max"
            continue
    return min(found)


def fit_to_memory(limits: Limits, children: int, total_bytes: int) -> Limits:
    """The same limits, with no more memory for a child than its part of the share."""
    part = total_bytes * limits.children_memory_percent // 100 // children
    return replace(
        limits,
        child_memory_bytes=min(limits.child_memory_bytes, max(part, _LEAST_BYTES)),
        look_memory_bytes=min(limits.look_memory_bytes, max(part, _LEAST_BYTES)),
    )
