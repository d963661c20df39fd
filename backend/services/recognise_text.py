"""What a pasted text is, line by line, before anything of it is kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from backend.forensics.credential_text import cleared_line, hold_credentials
from backend.forensics.dumps import Dump
from backend.services.read_lines import LONGEST_LINE, Line

DumpReader = Callable[[bytes], list[Dump]]
"""Every dump in the bytes of a text, in their order; never raises. The workers have the one that knows the formats,
and who starts the product hands it in."""

LOOKED_AT_BYTES = 256 << 10
"""How much of a pasted text is judged at once, so that typing in it stays quick; the analysis reads all of it."""
LINES_SHOWN = 100


@dataclass(frozen=True)
class Recognition:
    """The format of a pasted text, identified by its first 256 KiB; the analysis reads all of it."""

    kind: str
    """Kinds of the dumps in it, joined with ``+``; empty where none is known."""
    lines: int
    lines_not_understood: tuple[Line, ...]
    """The first 100 of them; none where no dump is known, since then it is all of them."""


def read_nothing(_content: bytes) -> list[Dump]:
    """The reader of an application that is only described and never asked."""
    return []


def recognise_text(text: str, read_dumps: DumpReader) -> Recognition:
    """What the text holds, as far as it is looked at. Never raises."""
    content = text.encode("utf-8", errors="replace")
    if len(content) > LOOKED_AT_BYTES:
        # A line that is cut in two would be called not understood.
        content = content[: content.rfind(b"\n", 0, LOOKED_AT_BYTES) + 1]
    dumps = read_dumps(content)
    lines = content.decode("utf-8", errors="replace").split("\n")
    clear = cleared_line if hold_credentials(lines) else str
    strange = sorted({number for dump in dumps for number in dump.lines_not_understood})
    return Recognition(
        kind="+".join(dict.fromkeys(dump.kind for dump in dumps)),
        lines=len(text.splitlines()),
        lines_not_understood=tuple(
            Line(number, clear(lines[number - 1][:LONGEST_LINE]))
            for number in strange[:LINES_SHOWN]
            if number <= len(lines)
        ),
    )
