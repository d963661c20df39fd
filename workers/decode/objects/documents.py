"""Finds JSON and YAML documents of a cluster or a container runtime in a text, and cuts lists into their objects.

{                                     [                                     apiVersion: v1
    "apiVersion": "v1",                   {                                 items:
    "items": [                                "Id": "9f2c…",                - apiVersion: v1
        {                                                                     kind: Pod
            "apiVersion": "v1",

A list in lines is cut where an object ends, which no string can look like: one object is held at a time, and of a list
that was cut short the objects before the cut are as in the whole one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Final

from workers.decode.objects.yaml_text import as_json

LONGEST_OBJECT: Final = 8 << 20
"""etcd keeps no larger object than 1.5 MiB (``--max-request-bytes``); indentation may triple it."""
LONGEST_LINE: Final = 256 << 20
"""Of a document in one line, which is held whole."""
_HEAD: Final = 32 << 10

_BEGIN: Final = (
    rb'(?:\{\s{0,64}"(?:apiVersion|kind|metadata|items|status)"\s?:|\[\s{0,64}\{\s{0,64}"Id"\s?:|'
    rb"(?:---\r?\n)?(?:addressType: IPv[46]\r?\n)?(?:apiVersion: (?:v1|discovery\.k8s\.io/v1)\r?\n)?"
    rb"(?:kind: (?:Pod|Service|Node|EndpointSlice|Endpoints|List)\r?\n(?:apiVersion|metadata|items|spec):|"
    rb"(?:items|endpoints):\r?\n- \w))"
)
_FIRST: Final = re.compile(_BEGIN)
# What a line begins with is looked at before all else: most texts hold no document, and may be long.
_NEXT: Final = re.compile(rb"\n(?=[{\[akie-])" + _BEGIN)
_BEGIN_BYTES: Final = 160
_LIST: Final = re.compile(
    rb'(?:\[|\{\r?\n(?P<margin> {1,16})(?=")(?:.{0,20000}?\n(?P=margin))??"items":\s{0,4}\[)\r?\n'
    rb"(?P<indent> {1,16})\{\r?\n",
    re.DOTALL,
)
"""Of a list in lines. Its `items` are of the outermost object: volumes have some, too."""
_LIST_IN_LINE: Final = re.compile(
    r'\s*(?:\[|\{(?:\s*"(?:kind|apiVersion)":\s*"[^"]{0,200}",|\s*"metadata":\s*\{[^{}]{0,4000}\},){0,3}\s*"items":\s*\[)'
)
_LIST_KIND: Final = re.compile(rb'"kind":\s{0,4}"(\w{1,60})List"')
_COLUMN_0: Final = re.compile(rb"\n(?=[^ \r\n])")
_YAML_FIELD: Final = re.compile(
    rb"- |(?:apiVersion|kind|metadata|spec|status|items|subsets|addressType|endpoints|ports):[ \r\n]"
)
_SEPARATORS: Final = re.compile(r"[\s,]*")


@dataclass(frozen=True)
class Between:
    """Text of no document."""

    text: bytes


@dataclass(frozen=True)
class Begin:
    """A document begins."""

    line: int
    """1-based, in the whole text."""
    list_kind: str
    """``Pod`` of a ``PodList``: such a list does not repeat it in its objects."""


@dataclass(frozen=True)
class Piece:
    """One object as text."""

    line: int
    text: bytes


@dataclass(frozen=True)
class End:
    """The document ends, or the text does before it (`is_cut`)."""

    lines: int
    is_cut: bool


Event = Between | Begin | Piece | End


def documents_in(blocks: Iterator[bytes]) -> Iterator[Event]:
    """The whole text in its order; a document's lines are not in what is between."""
    yield from _Cutter(blocks).events()


def may_hold_documents(head: bytes) -> bool:
    """Whether a document begins in these first bytes of a text."""
    return _FIRST.match(head) is not None or _NEXT.search(head) is not None


def _json_of(yaml_text: bytes) -> bytes:
    """As it stands where it is not understood, so that it is counted as such."""
    try:
        return as_json(yaml_text)
    except ValueError:
        return yaml_text


class _Cutter:
    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._buffer = b""
        self._at = 0
        self._line = 1

    def events(self) -> Iterator[Event]:
        while len(self._buffer) < _BEGIN_BYTES and self._more():
            pass
        if _FIRST.match(self._buffer) is not None:
            yield from self._document()
        while True:
            found = _NEXT.search(self._buffer, self._at)
            if found is not None:
                yield Between(self._taken(found.start() + 1))
                yield from self._document()
                continue
            # A document may begin in the last bytes.
            yield Between(self._taken(max(self._at, len(self._buffer) - _BEGIN_BYTES)))
            if not self._more():
                yield Between(self._taken(len(self._buffer)))
                return

    def _document(self) -> Iterator[Event]:
        while len(self._buffer) - self._at < _HEAD and self._more():
            pass
        first_line, head = self._line, self._buffer[self._at : self._at + _HEAD]
        kind, closing = _LIST_KIND.search(head), b"}" if head[:1] == b"{" else b"]"
        yield Begin(first_line, kind[1].decode() if kind else "")
        if head[:1] not in (b"{", b"["):
            yield from self._in_yaml()
            return
        listed = _LIST.match(head)
        if listed is not None:
            self._taken(self._at + listed.end("indent") + 1)
            is_cut = yield from self._listed(listed["indent"], closing)
        elif head.split(b"\n", 1)[0].rstrip() in (b"{", b"["):
            line, text = self._line, self._upto(b"\n" + closing)
            is_cut = text is None
            if text is not None:
                yield Piece(line, text)
        else:
            is_cut = yield from self._in_one_line()
        yield End(self._line - first_line + 1, is_cut)

    def _listed(self, indent: bytes, closing: bytes) -> Generator[Event, None, bool]:
        """Gives whether the list is cut short."""
        mark = b"\n" + indent + b"}"
        while True:
            line, text = self._line, self._upto(mark)
            if text is None:
                return True
            yield Piece(line, b"{" + text)
            if self._buffer[self._at : self._at + 1] != b",":
                return self._upto(b"\n" + closing) is None
            if self._upto(b"{") is None:
                return True

    def _in_yaml(self) -> Iterator[Event]:
        begin, block, is_list = self._line, self._to_column_0(), False
        held, item = [block], None
        while self._is_yaml_field():
            line, block = self._line, self._to_column_0()
            if item is not None:
                yield item
                item = None
            if is_list and block[:2] == b"- ":
                item = Piece(line, _json_of(b"  " + block[2:]))
            else:
                held.append(block)
            is_list = is_list or held[-1][:6] == b"items:"
        if not is_list:
            yield Piece(begin, _json_of(b"".join(held)))
        # What a list is stands behind its items: one that ends with an item is cut short.
        yield End(self._line - begin + (block[-1:] != b"\n"), item is not None)
        yield Between(b"\n" if block[-1:] == b"\n" else b"")

    def _is_yaml_field(self) -> bool:
        while len(self._buffer) - self._at < _BEGIN_BYTES and self._more():
            pass
        return _YAML_FIELD.match(self._buffer, self._at) is not None

    def _to_column_0(self) -> bytes:
        """The text up to the next line that is not indented."""
        start = self._at
        while (found := _COLUMN_0.search(self._buffer, start)) is None:
            searched = max(len(self._buffer) - self._at - 2, 0)
            if searched > LONGEST_OBJECT or not self._more():
                return self._taken(len(self._buffer))
            start = self._at + searched
        return self._taken(found.start() + 1)

    def _in_one_line(self) -> Generator[Event, None, bool]:
        """Gives whether the line is cut short."""
        line = self._line
        parts, length = [self._buffer[self._at :]], 0
        while b"\n" not in parts[-1] and length < LONGEST_LINE and (block := next(self._blocks, b"")):
            parts.append(block)
            length += len(block)
        self._buffer, self._at = b"".join(parts), 0
        end = self._buffer.find(b"\n")
        text = self._taken(len(self._buffer) if end < 0 else end).decode("utf-8", "replace")
        decoder, listed = json.JSONDecoder(), _LIST_IN_LINE.match(text)
        at = listed.end() if listed else 0
        while text[at : at + 1] not in ("", "]"):
            try:
                each, at = decoder.raw_decode(text, at)
            except (ValueError, RecursionError):
                return True
            yield Piece(line, json.dumps(each).encode())
            if listed is None:
                return False
            separators = _SEPARATORS.match(text, at)
            at = separators.end() if separators else at
        return text[at : at + 1] != "]"

    def _upto(self, mark: bytes) -> bytes | None:
        """The text up to and with the mark; None, and all is taken, where there is none."""
        start = self._at
        while True:
            found = self._buffer.find(mark, start)
            if found >= 0:
                return self._taken(found + len(mark))
            searched = max(len(self._buffer) - self._at - len(mark), 0)
            if searched > LONGEST_OBJECT or not self._more():
                self._taken(len(self._buffer))
                return None
            start = self._at + searched

    def _more(self) -> bool:
        block = next(self._blocks, b"")
        self._buffer, self._at = self._buffer[self._at :] + block, 0
        return bool(block)

    def _taken(self, end: int) -> bytes:
        text = self._buffer[self._at : end]
        self._line += text.count(b"\n")
        self._at = end
        return text
