"""What came out of a bundle: evidence files, and what is not used."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal


@dataclass(frozen=True)
class Member:
    """One capture or dump that came out of a bundle."""

    path: Path
    """Where its bytes are now."""
    name: str
    """Its path in the bundle, made safe to show; unique in the bundle."""
    kind: Literal["capture", "dump"]
    format: str
    """As `identify` calls it; ``text`` of a dump."""


@dataclass(frozen=True)
class NotUsed:
    """One file that is no evidence."""

    name: str
    why: str


@dataclass(frozen=True)
class Expansion:
    """What a bundle held. `not_used` is the first of them, `not_used_total` their number."""

    members: tuple[Member, ...]
    not_used: tuple[NotUsed, ...]
    not_used_total: int
    warnings: tuple[str, ...]
