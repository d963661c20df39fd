"""Text that is safe and tidy on a terminal: control characters shown, lines wrapped, colour where wanted."""

from __future__ import annotations

import os
import textwrap
import unicodedata
from typing import TextIO

# Format characters include the bidirectional overrides, with which a file name can lie about itself.
_INVISIBLE = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}


def visible(text: str) -> str:
    r"""The text on one line, control characters written out: ``ESC[2J`` in a file becomes ``\x1b[2J``."""
    return "".join(_shown(character) for character in text)


def _shown(character: str) -> str:
    if " " <= character <= "~" or unicodedata.category(character) not in _INVISIBLE:
        return character
    if character in "\n\t\r":
        return " "
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def wants_colour(stream: TextIO) -> bool:
    """Colour only on a terminal, and never where NO_COLOR is set."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def wrapped(text: str, *, width: int, first: str, following: str) -> list[str]:
    """The text in lines of at most `width`; long addresses, paths and commands stay whole."""
    return textwrap.wrap(
        text,
        width=width,
        initial_indent=first,
        subsequent_indent=following,
        break_long_words=False,
        break_on_hyphens=False,
    ) or [first.rstrip()]


class Paint:
    """Puts colours around words, or leaves them as they are."""

    def __init__(self, *, colour: bool) -> None:
        self._colour = colour

    def __call__(self, text: str, *styles: str) -> str:
        """The text in these styles: bold, dim, red, green, yellow, cyan."""
        if not self._colour or not styles:
            return text
        codes = ";".join(_CODES[style] for style in styles)
        return f"\x1b[{codes}m{text}\x1b[0m"
