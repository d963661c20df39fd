"""Names that people and programs give, without characters that nobody sees: with them one name can pass for another."""

from __future__ import annotations

import unicodedata
from typing import Final

_INVISIBLE: Final = ("Cc", "Cf", "Cs", "Cn", "Zl", "Zp")
"""Control and format characters, the bidirectional overrides (U+202E) among them, halves, no characters, line ends."""


def visible_name(text: str) -> str:
    """The name with only those characters that are seen."""
    return "".join(each for each in text if unicodedata.category(each) not in _INVISIBLE)
