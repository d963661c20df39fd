"""Somebody's own words inside composed texts: their bounds are kept, so that a text can be shown with others in their
place.

A `PrivateWord` is a plain text in every respect but one: an f-string that it is put into keeps where it begins and
ends. `composed` turns such a text into a `ComposedText`, which reads plain and knows its parts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

from pydantic import BaseModel

Sort = Literal["name", "place", "host", "file", "program", "rule", "line", "object"]
"""A name of DNS, TLS or HTTP; of a vantage point; of a machine; of an input; of a process; a line of a rule set; a line
of a log, or words of one; an address or an object of Kubernetes, as ``default/web``."""
SORTS: Final[tuple[Sort, ...]] = ("name", "place", "host", "file", "program", "rule", "line", "object")
_OPEN, _CLOSE = "\ufdd0", "\ufdd1"
"""Noncharacters, which Unicode keeps for such use inside a program: no text from outside may hold one."""
_MARKED: Final = re.compile(f"{_OPEN}(.)([^{_OPEN}{_CLOSE}]*){_CLOSE}", re.DOTALL)


@dataclass(frozen=True)
class Part:
    """A stretch of a text; words of ours where `sort` is None."""

    text: str
    sort: Sort | None = None


class PrivateWord(str):
    """A word that is somebody's own."""

    sort: Sort

    def __new__(cls, text: str, sort: Sort) -> PrivateWord:
        """`sort` is what it names."""
        made = super().__new__(cls, text.replace(_OPEN, "").replace(_CLOSE, ""))
        made.sort = sort
        return made

    def __format__(self, spec: str) -> str:
        return f"{_OPEN}{SORTS.index(self.sort)}{super().__format__(spec)}{_CLOSE}"


def of_place(text: str) -> PrivateWord:
    """The name of a vantage point, an interface."""
    return PrivateWord(text, "place")


def of_file(text: str) -> PrivateWord:
    """The name of an input."""
    return PrivateWord(text, "file")


def of_program(text: str) -> PrivateWord:
    """The name of a process."""
    return PrivateWord(text, "program")


def of_rule(text: str) -> PrivateWord:
    """A line of a rule set: its comment may hold anything."""
    return PrivateWord(text, "rule")


def of_line(text: str) -> PrivateWord:
    """A line that a program printed, or words of it."""
    return PrivateWord(text, "line")


def of_object(text: str) -> PrivateWord:
    """Whom a listing names as one end: an address, a pod, a service."""
    return PrivateWord(text, "object")


class ComposedText(str):
    """A text of ours with words of somebody's in it."""

    parts: tuple[Part, ...]


def composed(text: str) -> str:
    """The text without the bounds of its words; those are in its parts."""
    if _OPEN not in text:
        return text
    parts: list[Part] = []
    at = 0
    for found in _MARKED.finditer(text):
        parts += [Part(text[at : found.start()]), Part(found[2], SORTS[int(found[1])])]
        at = found.end()
    return from_parts([*parts, Part(text[at:])])


def from_parts(parts: list[Part]) -> ComposedText:
    """The text that they make."""
    kept = tuple(part for part in parts if part.text)
    made = ComposedText("".join(part.text for part in kept))
    made.parts = kept
    return made


def changed(text: str, change: Callable[[str], str]) -> str:
    """The text with its words of ours changed."""
    if not isinstance(text, ComposedText):
        return change(text)
    return from_parts([part if part.sort else Part(change(part.text)) for part in text.parts])


def composed_texts(content: Any) -> Iterator[ComposedText]:
    """Every composed text below a model, a list or a dictionary."""
    if isinstance(content, ComposedText):
        yield content
    elif isinstance(content, BaseModel):
        yield from composed_texts(content.__dict__)
    elif isinstance(content, dict):
        for value in content.values():
            yield from composed_texts(value)
    elif isinstance(content, list | tuple):
        for value in content:
            yield from composed_texts(value)


def listed_parts(texts: Iterator[ComposedText]) -> dict[str, list[list[str]]]:
    """By text its parts, each as (sort or "", words): what is stored beside a report."""
    return {str(text): [[part.sort or "", part.text] for part in text.parts] for text in texts}


def read_parts(listed: Any) -> dict[str, tuple[Part, ...]]:
    """What `listed_parts` made; a sort that this version does not know is hidden as a line is."""
    return {
        text: tuple(Part(words, _known_sort(sort)) for sort, words in parts) for text, parts in listed.items()
    }


def _known_sort(sort: str) -> Sort | None:
    if not sort:
        return None
    return next((known for known in SORTS if known == sort), "line")
