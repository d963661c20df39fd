"""Code blocks of Markdown: what is outside of them somebody wrote, what is inside some program printed."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from typing import Final

from workers.decode.dumps.text import Item, item_lines

_MARKS: Final = ("```", "~~~")


class Fences:
    """The code blocks of a text, looked for when somebody asks."""

    def __init__(self, items: Sequence[Item]) -> None:
        self._items = items

    def are_around(self, line: int) -> bool:
        """Whether the line (1-based) is outside of every code block of a text that has some."""
        return bool(self._marks) and bisect_right(self._marks, line) % 2 == 0

    @cached_property
    def _marks(self) -> list[int]:
        """Numbers of the lines that begin or end a block. None where the text begins inside of one, which shows in a
        language behind a mark that would end a block."""
        marks: list[int] = []
        number = 1
        for item in self._items:
            if isinstance(item, str) and (stripped := item.strip()).startswith(_MARKS):
                if len(marks) % 2 and stripped.strip("`~ "):
                    return []
                marks.append(number)
            number += item_lines(item)
        return marks
