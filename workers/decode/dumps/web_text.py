"""Text as web pages and editors change it: HTML's entities, spaces that do not break, words set in bold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

_REPLACED: Final = (
    (b"&gt;", b">"),
    (b"&lt;", b"<"),
    (b"&quot;", b'"'),
    (b"&#39;", b"'"),
    (b"&nbsp;", b" "),
    (b"&amp;", b"&"),
    ("\u00a0".encode(), b" "),
    ("\u200b".encode(), b""),
)
_LONGEST: Final = max(len(mark) for mark, _ in _REPLACED)
_BEGINS: Final = (b"&", b"\xc2", b"\xe2")
_BOLD: Final = re.compile(rb"(?<=[ \t])_?\*\*(?:_)?([\w.:-]{1,40})(?:_)?\*\*_?(?=[\s,;]|$)")

_QUOTED: Final = re.compile(rb"(?m)^[ \t]{0,3}`([^`\n]{60,})`[ \t]*(\r?)$")
"""A whole line between backquotes: longer than a command that somebody quotes."""


def as_typed(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The text (UTF-8, blocks of any size) as it was before; line breaks stay where they are."""
    held = b""
    for block in blocks:
        block = held + block
        held = _unfinished(block)
        yield typed_block(block[: len(block) - len(held)] if held else block)
    if held:
        yield typed_block(held)


def _unfinished(block: bytes) -> bytes:
    """What may be the first bytes of a mark that goes on in the next block."""
    tail = block[-_LONGEST + 1 :]
    starts = [at for begin in _BEGINS if (at := tail.rfind(begin)) >= 0]
    return tail[max(starts) :] if starts else b""


def typed_block(block: bytes) -> bytes:
    """The same of a block that cuts no mark."""
    # Each test runs at the speed of memory; captures' listings hold none of these.
    if b"&" in block or b"\xc2\xa0" in block or b"\xe2\x80\x8b" in block:
        for mark, plain in _REPLACED:
            block = block.replace(mark, plain)
    if b"**" in block:
        block = _BOLD.sub(rb"\1", block)
    return _QUOTED.sub(rb"\1\2", block) if b"`" in block else block


def typed_line(line: str) -> str:
    """The same of a line that is decoded already."""
    if "&" in line or "\u00a0" in line or "\u200b" in line or "**" in line or "`" in line:
        return typed_block(line.encode("utf-8", errors="replace")).decode("utf-8")
    return line
