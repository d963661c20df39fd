"""Texts of public threads, and how much of them is understood."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from workers.decode.dumps import parse_dump_bytes


def content_of(sample: Path) -> bytes:
    """Without the header that names the source; line numbers stay."""
    return b"\n" + sample.read_bytes().partition(b"\n")[2]


def understood(samples: Iterable[Path]) -> tuple[int, float]:
    """(lines that are not empty, share of them that is understood)."""
    lines = unknown = 0
    for content in map(content_of, samples):
        lines += sum(1 for line in content.splitlines() if line.strip())
        unknown += sum(len(dump.lines_not_understood) for dump in parse_dump_bytes(content))
    return lines, 1 - unknown / lines
