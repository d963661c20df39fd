"""How much memory each child may have: all of them together stay below a share of what the machine has."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from backend.limits import Limits

_LEAST_BYTES: Final = 1 << 30
"""A child that decodes needs 0.4 GB, however small the machine is."""


def fit_to_memory(limits: Limits, children: int, total_bytes: int) -> Limits:
    """The same limits, with no more memory for a child than its part of the share."""
    part = total_bytes * limits.children_memory_percent // 100 // children
    return replace(
        limits,
        child_memory_bytes=min(limits.child_memory_bytes, max(part, _LEAST_BYTES)),
        look_memory_bytes=min(limits.look_memory_bytes, max(part, _LEAST_BYTES)),
    )
