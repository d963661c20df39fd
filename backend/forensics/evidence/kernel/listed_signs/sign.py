"""One fact that a listing shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.evidence.kernel.kernel_signs import Line

SHOWN = 3
"""Names in one sentence."""


@dataclass(frozen=True)
class ListingSign:
    """`topic` distinguishes kinds of facts; `limits` is what the listing can't show, `command` what shows it."""

    topic: str
    severity: Literal["info", "warning"]
    title: str
    text: str
    lines: tuple[Line, ...]
    count: int
    limits: str
    command: str
    frames: tuple[tuple[str, int], ...] = ()
    """(capture, frame) of packets that were printed."""


ReadSigns = Callable[[Sequence[DumpInput]], Iterator[ListingSign]]


def shown(names: Sequence[str]) -> str:
    """``a, b, c and 4 more``."""
    each = list(dict.fromkeys(names))
    more = f" and {len(each) - SHOWN:,} more" if len(each) > SHOWN else ""
    return ", ".join(each[:SHOWN]) + more
