"""Reads a filter: && before ||, as Wireshark 4 has it, brackets, !, comparisons, and sets in braces."""

from __future__ import annotations

import difflib
import re
from typing import Final

from backend.services.packet_language.meaning import Meaning
from backend.services.packet_language.problem import BadFilter, Spot
from backend.services.packet_language.tokens import Token, tokens_of
from backend.storage.packet_conditions import AllOf, AnyOf, EndsContain, Expression, Negated
from backend.storage.packet_fields import PACKET_FIELDS, PacketField

_OPERATORS: Final = ("==", "!=", "<", "<=", ">", ">=", "contains", "in")
_DEEPEST: Final = 40
_SEEMS_FIELD: Final = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+", re.IGNORECASE)
_SIGNS: Final = re.compile(r'[!<>=(){}"]|&&|\|\|')


def read_filter(text: str, meaning: Meaning) -> Expression | None:
    """None for an empty one. A word that is no comparison and no field is looked for in the ends of connections.

    Raises BadFilter with the place of the mistake."""
    words = text.strip()
    if not words:
        return None
    known = words.lower() in PACKET_FIELDS
    if not known and " " not in words and not _SIGNS.search(words) and not _SEEMS_FIELD.fullmatch(words):
        return EndsContain(words)
    return _Parser(tokens_of(text), meaning).whole()


class _Parser:
    def __init__(self, tokens: list[Token], meaning: Meaning) -> None:
        self._tokens = tokens
        self._meaning = meaning
        self._at = 0
        self._depth = 0

    @property
    def _next(self) -> Token:
        return self._tokens[self._at]

    def _take(self) -> Token:
        token = self._next
        self._at += token.kind != "end"
        return token

    def _takes(self, *signs: str) -> bool:
        if self._next.kind == "sign" and self._next.value in signs:
            self._at += 1
            return True
        return False

    def whole(self) -> Expression:
        found = self._either()
        left = self._next
        if left.kind != "end":
            raise BadFilter(f"`{left.value}` was not expected here: && or || is missing.", left.spot)
        return found

    def _either(self) -> Expression:
        parts = [self._both()]
        while self._takes("||"):
            parts.append(self._both())
        return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))

    def _both(self) -> Expression:
        parts = [self._single()]
        while self._takes("&&"):
            parts.append(self._single())
        return parts[0] if len(parts) == 1 else AllOf(tuple(parts))

    def _single(self) -> Expression:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise BadFilter(f"Brackets and ! are read {_DEEPEST} deep.", self._next.spot)
        try:
            if self._takes("!"):
                return Negated(self._single())
            if self._takes("("):
                found = self._either()
                if not self._takes(")"):
                    raise BadFilter("A closing bracket is missing here.", self._next.spot)
                return found
            return self._comparison()
        finally:
            self._depth -= 1

    def _comparison(self) -> Expression:
        name = self._take()
        if name.kind != "word":
            said = "here" if name.kind == "end" else f"instead of `{name.value}`"
            raise BadFilter(f"A comparison is missing {said}.", name.spot)
        field = PACKET_FIELDS.get(name.value.lower())
        if field is None:
            raise _unknown(name)
        operator = self._operator()
        if operator is None:
            return self._meaning.has(field, name.spot)
        if operator.value == "in":
            return self._meaning.compared(field, "==", self._set(field), operator.spot)
        return self._meaning.compared(field, operator.value, [self._operand(field)], operator.spot)

    def _operator(self) -> Token | None:
        if self._next.value.lower() not in _OPERATORS or self._next.kind not in ("sign", "word"):
            if self._next.kind == "word":
                raise _strange_operator(self._next)
            return None
        token = self._take()
        return Token("sign", token.value.lower(), token.spot)

    def _operand(self, field: PacketField) -> Token:
        value = self._take()
        if value.kind not in ("word", "text"):
            raise BadFilter(f"`{field.name}` needs a value here.", value.spot)
        return value

    def _set(self, field: PacketField) -> list[Token]:
        if not self._takes("{"):
            raise BadFilter("A set is written in braces: {80, 443}.", self._next.spot)
        found = [self._operand(field)]
        while not self._takes("}"):
            if self._next.kind == "end":
                raise BadFilter("A closing brace is missing here.", self._next.spot)
            self._takes(",")
            found.append(self._operand(field))
        return found


def _unknown(name: Token) -> BadFilter:
    near = difflib.get_close_matches(name.value.lower(), PACKET_FIELDS, n=3, cutoff=0.6)
    if not near:
        near = [each for each in PACKET_FIELDS if each.rpartition(".")[2] == name.value.lower()][:3]
    return BadFilter(
        f"`{name.value}` is no field that is known here.", name.spot, did_you_mean=tuple(near), wireshark=True
    )


def _strange_operator(word: Token) -> BadFilter:
    near = difflib.get_close_matches(word.value.lower(), ("contains", "in", "and", "or"), n=1)
    return BadFilter(
        f"`{word.value}` is no comparison that is known here.",
        word.spot,
        did_you_mean=tuple(near),
        wireshark=True,
    )


__all__ = ["BadFilter", "Spot", "read_filter"]
