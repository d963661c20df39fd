"""Overwrites credentials in a text: the same length, and what every kernel prints as it was."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from backend.forensics.credential_text import cleared_line
from workers.decode.unpacking import compression_of

_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")


def scrub_text(path: Path, target: Path) -> None:
    """Writes the scrubbed text to `target`; nothing where its lines cannot be overwritten in place (a packed file,
    UTF-16)."""
    with path.open("rb") as source:
        head = source.read(4096)
        if head.startswith(_UTF_16) or compression_of(head):
            return
        source.seek(0)
        with target.open("wb") as file:
            for line in source:
                file.write(cleared_line(line.decode("latin-1")).encode("latin-1"))
