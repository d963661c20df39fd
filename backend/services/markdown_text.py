"""CommonMark out of texts that nobody vouches for: they can neither format nor link."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&!$])")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
_LIST_START = re.compile(r"^(\s*)([-+=]|\d{1,9}[.)])")


def table_of(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def text_of(text: str) -> str:
    """Plain words: nothing in them is markup, on one line."""
    escaped = _SPECIAL.sub(r"\\\1", _CONTROL.sub(" ", text)).strip()
    return _LIST_START.sub(lambda match: f"{match[1]}{match[2][:-1]}\\{match[2][-1]}", escaped)


def code_span(text: str) -> str:
    """Text in a code span that also holds inside a table cell."""
    bare = _CONTROL.sub(" ", text).strip()
    if not bare:
        return ""
    fence = "`" * (max((len(run) for run in re.findall("`+", bare)), default=0) + 1)
    padding = " " if bare.startswith("`") or bare.endswith("`") else ""
    return f"{fence}{padding}{bare.replace('|', chr(92) + '|')}{padding}{fence}"


def code_block(command: str) -> str:
    lines = [_CONTROL.sub(" ", line) for line in command.splitlines()]
    fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", command)), 3)
    return "\n".join([f"{fence}sh", *lines, fence])
