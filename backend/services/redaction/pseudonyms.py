"""What stands for a private text behind one link: it follows from the link's random key and the text, and from nothing
that a viewer sees; two links have nothing in common."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

_SHORT: Final = 10**6
_LONG: Final = 10**12
"""Of two texts with the same short number the second has a long one: 48 bits for at most some 100,000 texts."""


@dataclass(frozen=True)
class PrivateText:
    """Something that may have to be kept to a link's maker."""

    text: str
    shown: str
    """Sort of name that is shown for it, as ``host`` or ``/path``; what ends in a full stop is shown as it is."""
    is_message: bool = False
    """Whether it is a word of messages; else it is about addresses, machines and files."""


def pseudonyms(key: bytes, texts: Iterable[PrivateText]) -> dict[str, str]:
    """Text -> the name that is shown for it; the first sort of a text counts."""
    shown_as: dict[str, str] = {}
    taken: set[str] = set()
    for each in texts:
        if each.text in shown_as:
            continue
        if each.shown.endswith("."):
            shown_as[each.text] = each.shown[:-1]
            continue
        number = number_of(key, each.text)
        name = f"{each.shown}-{number % _SHORT:06d}"
        if name in taken:
            name = f"{each.shown}-{number % _LONG:012d}"
        shown_as[each.text] = name
        taken.add(name)
    return shown_as


def number_of(key: bytes, text: str) -> int:
    """Of all numbers of 256 bits."""
    return int.from_bytes(
        hmac.new(key, text.encode("utf-8", "surrogatepass"), hashlib.sha256).digest(), "big"
    )
