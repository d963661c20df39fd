"""Cuts a filter into words, texts in quotes and signs, each with its place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from backend.services.packet_language.problem import BadFilter, Spot

TokenKind = Literal["word", "text", "sign", "end"]
LONGEST: Final = 4000
"""Characters of a filter; the page stores longer ones elsewhere, and none is written by hand."""

_TOKEN: Final = re.compile(
    r"""\s*(?:(?P<text>"(?:[^"\\]|\\.)*")|(?P<sign>&&|\|\||==|!=|<=|>=|[!<>=(){},])|(?P<word>[^\s"&|=!<>(){},]+))""",
    re.VERBOSE,
)
_WORDED: Final = {
    "and": "&&", "or": "||", "not": "!", "eq": "==", "ne": "!=", "gt": ">", "lt": "<", "ge": ">=", "le": "<=",
}  # fmt: skip


@dataclass(frozen=True)
class Token:
    """A part of the filter; `value` is without quotes, and a sign's usual form."""

    kind: TokenKind
    value: str
    spot: Spot


def tokens_of(text: str) -> list[Token]:
    """All of it, with an end; raises BadFilter."""
    if len(text) > LONGEST:
        raise BadFilter(f"A filter has at most {LONGEST:,} characters.", Spot(LONGEST, len(text) - LONGEST))
    found: list[Token] = []
    at, end = 0, len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None:
            raise _unreadable(text, at)
        kind = match.lastgroup or ""
        spot = Spot(match.start(kind), match.end(kind) - match.start(kind))
        found.append(_token(kind, match.group(kind), spot))
        at = match.end()
    return [*found, Token("end", "", Spot(end, 1))]


def _token(kind: str, value: str, spot: Spot) -> Token:
    if kind == "text":
        return Token("text", re.sub(r"\\(.)", r"\1", value[1:-1]), spot)
    if kind == "sign":
        return Token("sign", "==" if value == "=" else value, spot)
    worded = _WORDED.get(value.lower())
    return Token("sign", worded, spot) if worded else Token("word", value, spot)


def _unreadable(text: str, at: int) -> BadFilter:
    at += len(text[at:]) - len(text[at:].lstrip())
    if text[at] == '"':
        return BadFilter("This text has no closing quotation mark.", Spot(at, len(text) - at))
    return BadFilter(f"`{text[at]}` stands alone; && and || are meant in pairs.", Spot(at, 1), wireshark=True)
