"""The protocol tree of one frame: nodes with their bytes in the frame."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from xml.etree.ElementTree import Element, ParseError, XMLPullParser

NODES_AT_MOST: Final = 4000
_SHOWN_AT_MOST: Final = 300
_LEFT_OUT: Final = frozenset({
    "frame.time_delta", "frame.time_delta_displayed", "frame.time_relative", "frame.file_off", "frame.comment",
    "tcp.stream", "udp.stream", "frame.interface_id", "frame.interface_name", "frame.interface_description",
    "tcp.time_delta",
})  # fmt: skip
"""Said of the small file that tshark read, not of the capture."""


@dataclass
class Node:
    """A protocol or a field. `begin` and `end` are bytes of the frame, both 0 for what is not in it."""

    name: str
    text: str
    begin: int = 0
    end: int = 0
    children: list[Node] = field(default_factory=list)

    def plain(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "name": self.name, "text": self.text, "begin": self.begin, "end": self.end,
            "children": [child.plain() for child in self.children],
        }  # fmt: skip


@dataclass
class Pdml:
    """Reads PDML; numbers of frames are said as they are in the capture."""

    frame: bytes
    numbers: Sequence[int]
    """The capture's numbers of the frames in the small file."""
    numbered: frozenset[str]
    count: int = 0
    cut: bool = False

    def read(self, pieces: Iterable[bytes]) -> list[Node]:
        """The protocols of the only packet; what comes behind the limit is left out (`cut`)."""
        parser: Any = XMLPullParser(["end"])
        found: list[Node] = []
        try:
            for piece in pieces:
                parser.feed(piece)
                for event in parser.read_events():
                    if event[1].tag == "packet":
                        found += [node for proto in event[1] for node in self._nodes(proto)]
        except ParseError:
            self.cut = True
        return [node for node in found if node.name not in ("geninfo", "fake-field-wrapper") or node.children]

    def _nodes(self, element: Element) -> list[Node]:
        name = element.get("name", "")
        if name == "geninfo" or name in _LEFT_OUT or element.get("hide") == "yes":
            return []
        self.count += 1
        if self.count > NODES_AT_MOST:
            self.cut = True
            return []
        children = [node for child in element for node in self._nodes(child)]
        if name == "fake-field-wrapper":
            return children
        node = Node(name, self._text(element, name), children=children)
        node.begin, node.end = self._place(element, children)
        return [node]

    def _text(self, element: Element, name: str) -> str:
        text = element.get("showname") or element.get("show") or name
        number = element.get("show", "")
        if name in self.numbered or name == "frame.number":
            if number.isdecimal() and 0 < int(number) <= len(self.numbers):
                text = text.replace(number, str(self.numbers[int(number) - 1]))
        elif name == "frame" and self.numbers:
            text = text.replace(f"Frame {len(self.numbers)}:", f"Frame {self.numbers[-1]}:", 1)
        return text if len(text) <= _SHOWN_AT_MOST else f"{text[:_SHOWN_AT_MOST]}…"

    def _place(self, element: Element, children: list[Node]) -> tuple[int, int]:
        """Where it is in the frame: tshark counts in what it put together, so the bytes are compared."""
        begin, size = (int(element.get(key) or 0) for key in ("pos", "size"))
        end = begin + size
        if size <= 0 or end > len(self.frame):
            return 0, 0
        value = element.get("unmaskedvalue") or element.get("value")
        if value is not None:
            return (begin, end) if self.frame[begin:end].hex() == value.lower() else (0, 0)
        if children and not any(
            child.end and begin <= child.begin and child.end <= end for child in children
        ):
            return 0, 0
        return begin, end
