"""What log collectors put before each line: `kubectl logs --prefix`, `node1| `, time stamps, syslog.

[pod/probe-x7k2p/probe] cpu=0 found=1 …          node1| cpu=0 found=1 …
2026-11-21T00:44:09.553Z cpu=0 found=1 …         Nov 21 00:44:09 node1 probe[12]: cpu=0 found=1 …

Taken off only where nearly every line has it and more lines are understood without it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from workers.decode.dumps.fields import NO_LEVEL
from workers.decode.dumps.remarks import is_remark
from workers.decode.dumps.stated_times import stated_time_ns
from workers.decode.dumps.text import Item, Text

_LOOKED_AT: Final = 200
"""Lines that decide."""
_SHARE: Final = 0.8
"""Of them that must have the prefix."""
_NESTED: Final = 3
"""Prefixes before prefixes."""

_TIME = r"(?P<time>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)"
_SHAPES = (
    re.compile(r"\[pod/(?P<pod>[\w.-]{1,253})/[\w.-]{1,253}\] "),
    re.compile(r"(?P<host>[A-Za-z0-9][\w.-]{0,62}) {0,32}\| ?"),
    re.compile(rf"{_TIME} (?:std(?:out|err) [FP] )?"),
    re.compile(
        rf"(?:[A-Z][a-z]{{2}} [ \d]\d \d\d:\d\d:\d\d) {NO_LEVEL}(?P<host>[\w.-]{{1,255}}) "
        r"[\w./-]{1,64}(?:\[\d{1,9}\])?: "
    ),
    re.compile(rf"{_TIME} {NO_LEVEL}(?P<host>[\w.-]{{1,255}}) [\w./-]{{1,64}}(?:\[\d{{1,9}}\])?: "),
    re.compile(r"(?P<host>[a-z0-9][\w.-]{0,62}): "),
    re.compile(r"> ?"),
    re.compile(r" {4}"),
    re.compile(r" {2}"),
    re.compile(r"\t"),
    re.compile(
        r"\[?(?:\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\]?\s{1,8}(?=tcp |udp |icmp |ipv4 |\w{2,20}[ :=])"
    ),
    re.compile(r"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] (?P<host>[\w.-]{1,62}): "),
)


@dataclass
class Said:
    """What the prefixes of a text say, line by line; empty where a line has none."""

    hosts: dict[int, str] = field(default_factory=dict)
    times_ns: dict[int, int] = field(default_factory=dict)
    """Keyed by the index of the item."""


def without_prefixes(text: Text, is_known: Callable[[str], bool]) -> tuple[Text, Said]:
    """The text without the prefixes of its lines, and what they say. `is_known` shows lines of a dump."""
    said = Said()
    items: list[Item] = text.items
    for _ in range(_NESTED):
        shape = _shape_of(items, is_known)
        if shape is None:
            break
        items = [_without(item, shape, index, said) for index, item in enumerate(items)]
    return Text(items, text.lines, text.latin_lines), said


def _shape_of(items: Sequence[Item], is_known: Callable[[str], bool]) -> re.Pattern[str] | None:
    lines = [item for item in items[: 2 * _LOOKED_AT] if isinstance(item, str) and _is_printed(item)]
    lines = lines[:_LOOKED_AT]
    if not lines or any(not isinstance(item, str) for item in items[:_LOOKED_AT]):
        return None
    known = sum(map(is_known, lines))
    best, best_known = None, known
    for shape in _SHAPES:
        matches = [match for line in lines if (match := shape.match(line[:1024])) is not None]
        if len(matches) < _SHARE * len(lines):
            continue
        bare = sum(is_known(line[match.end() :]) for line in lines if (match := shape.match(line[:1024])))
        if bare > best_known:
            best, best_known = shape, bare
    return best


def _is_printed(line: str) -> bool:
    """Whether a line may have the prefix: what people write between listings has none."""
    return bool(line.strip()) and not line.startswith(("```", "~~~")) and not is_remark(line)


def _without(item: Item, shape: re.Pattern[str], index: int, said: Said) -> Item:
    match = shape.match(item[:1024]) if isinstance(item, str) else None
    if match is None or not isinstance(item, str):
        return item
    parts = match.groupdict()
    if parts.get("host"):
        said.hosts[index] = parts["host"]
    time_ns = stated_time_ns(parts["time"]) if parts.get("time") else None
    if time_ns is not None:
        said.times_ns[index] = time_ns
    return item[match.end() :]
