"""The words that this program writes: behind a link that hides names, no other word of a sentence is shown.

They are taken from the texts in its own sources, so that a sentence added tomorrow is readable without a list to keep;
what a capture, a dump or a person brought is in none of them.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

import backend
from backend.storage.packet_fields import PACKET_FIELDS

_SOURCES: Final = (
    *(Path(backend.__file__).parent / part for part in ("forensics", "services", "storage", "api")),
    Path(backend.__file__).parent / "errors.py",
    *(Path(backend.__file__).parents[1] / "workers" / part for part in ("decode", "jobs")),
)
_CHAINS: Final = frozenset({"PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING"})
"""Of netfilter."""
_LITERAL: Final = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
_FIELD: Final = re.compile(r"\b([A-Za-z_]\w*)(?:: |=)")
TOKEN: Final = re.compile(r"[^\s\"'`,;()<>{}\[\]|→=…“”]+")
TAIL: Final = ".:!?"
_PIECES: Final = re.compile(r"[-/:_+&*]+")
_QUAD: Final = re.compile(r"(?<!\d)\d{1,3}([-_.x:,/])\d{1,3}\1\d{1,3}\1\d{1,3}(?!\d)")
"""Four small numbers are an address, whatever stands between them."""
_ORDINARY: Final = re.compile(r"[a-z]+|\d+", re.IGNORECASE)


@cache
def _own() -> frozenset[str]:
    found: set[str] = set()
    for path in _source_files():
        for literal in _LITERAL.findall(path.read_text(encoding="utf-8")):
            for token in TOKEN.findall(re.sub(r"\\[nt]", " ", literal).replace(r"\\", "\\")):
                bare = token.strip(TAIL).casefold()
                found.add(bare)
                found.update(piece for piece in _PIECES.split(bare) if piece.isalpha())
    found.update(name.casefold() for name in PACKET_FIELDS)
    return frozenset(found - {""})


@cache
def _keys() -> frozenset[str]:
    """Names of fields and of arguments."""
    return frozenset(
        name for path in _source_files() for name in _FIELD.findall(path.read_text(encoding="utf-8"))
    )


def is_own_key(key: str) -> bool:
    """Whether it is the name of a field of ours; keys may also be what was counted."""
    return key in _keys() or is_own(key)


def _source_files() -> list[Path]:
    return [
        path for source in _SOURCES for path in ([source] if source.is_file() else source_files_below(source))
    ]


def source_files_below(folder: Path) -> list[Path]:
    """Only folders of ours count: where this program lies, a folder may have any name."""
    return [
        path for path in folder.rglob("*.py") if {"tests", "bench"}.isdisjoint(path.relative_to(folder).parts)
    ]


def is_own(token: str) -> bool:
    """Whether this program itself may have written it: a word of its texts, or several joined by signs."""
    bare = token.strip(TAIL).casefold()
    if not bare or bare in _own() or token in _CHAINS:
        return True
    pieces = [piece for piece in _PIECES.split(bare) if piece]
    if _QUAD.search(bare):
        return False
    return all(piece.isdecimal() or (piece.isalpha() and _is_word(piece)) for piece in pieces)


def is_ordinary(text: str) -> bool:
    """Whether it is one plain word, or a number: found in a sentence of ours it says nothing of who is called so."""
    return bool(_ORDINARY.fullmatch(text)) and (text.isdecimal() or _is_word(text.casefold()))


def _is_word(word: str) -> bool:
    own = _own()
    return word in own or (word.endswith("s") and word[:-1] in own)


_NUMBER: Final = re.compile(r"[#@~±+\-×<>≥≤]*[\d.,:%/x+\-–TZ²]*\d[\d.,:%/x+\-–TZ²]*([a-zA-Zµ%]{0,4})")
_EXPONENT: Final = re.compile(r"\d(?:\.\d+)?e[-+]?\d{1,3}")
_HEX: Final = re.compile(r"0x[0-9a-fA-F]+|[0-9a-f]{8}")


def is_number(token: str) -> bool:
    """Whether it is a number, a time or a range with its unit, and no address under another form."""
    if _QUAD.search(token):
        return False
    if _HEX.fullmatch(token) or _EXPONENT.fullmatch(token):
        return True
    found = _NUMBER.fullmatch(token)
    return found is not None and (not found[1] or is_ordinary(found[1]))
