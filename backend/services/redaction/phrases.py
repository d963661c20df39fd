"""Finds known phrases in a text, however many there are: each place where a word begins is looked at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

_WORD: Final = re.compile(r"\w+|[^\w\s]")
_WITHIN: Final = re.compile(r"[\w-]")


class Phrases:
    """Phrases by the word they begin with; of two that begin at one place the longer is found."""

    def __init__(self, phrases: Iterable[str]) -> None:
        self._by_first: dict[str, dict[int, dict[str, str]]] = {}
        """By first word, then by length, the longest first: a text is looked up once for each length there is."""
        for phrase in sorted(set(phrases), key=len, reverse=True):
            first = _WORD.match(phrase)
            if first is not None:
                by_length = self._by_first.setdefault(first[0].casefold(), {})
                by_length.setdefault(len(phrase), {}).setdefault(phrase.casefold(), phrase)

    def replaced(self, text: str, shown: Callable[[str], str]) -> list[tuple[str, bool]]:
        """(stretch, whether it stands for a phrase), in order."""
        stretches: list[tuple[str, bool]] = []
        at = 0
        for word in _WORD.finditer(text) if self._by_first else ():
            if word.start() < at or (word.start() and _WITHIN.match(text[word.start() - 1])):
                continue
            phrase = self._at(text, word)
            if phrase is not None:
                stretches += [(text[at : word.start()], False), (shown(phrase), True)]
                at = word.start() + len(phrase)
        return [*stretches, (text[at:], False)]

    def _at(self, text: str, word: re.Match[str]) -> str | None:
        for length, phrases in self._by_first.get(word[0].casefold(), {}).items():
            end = word.start() + length
            phrase = phrases.get(text[word.start() : end].casefold())
            if phrase is not None and not (_WITHIN.match(phrase[-1]) and _WITHIN.match(text[end : end + 1])):
                return phrase
        return None
