"""Names for interfaces that a capture of all interfaces (Linux cooked v2) knows by number alone.

`ip link` prints both (``3: eth1@if2:``). Numbers are those of one host, and every host has an interface 2: a listing is
that of the capture's host only where it lists all interfaces that the capture saw, and that of no other host does."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from backend.forensics.captures import Capture
from backend.forensics.evidence.kernel.counters import DumpInput

INTERFACES_LEAST: Final = 2
"""One number fits too many hosts."""


def name_interfaces(captures: Sequence[Capture], dumps: Sequence[DumpInput]) -> list[Capture]:
    """The captures, their numbered vantage points named where one host's listing fits."""
    listed = _names_by_host(dumps)
    return [_named(capture, listed) for capture in captures] if listed else list(captures)


def _names_by_host(dumps: Sequence[DumpInput]) -> list[dict[int, str]]:
    """By number, for each host; without numbers that its listings give to two names (an interface made anew)."""
    by_host: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for each in dumps:
        for interface in each.dump.interfaces:
            by_host[each.host or each.dump.host][interface.index].add(interface.name)
    return [
        {number: next(iter(names)) for number, names in of.items() if len(names) == 1}
        for of in by_host.values()
    ]


def _named(capture: Capture, listed: Sequence[dict[int, str]]) -> Capture:
    points = capture.vantage_points
    numbers = {p.interface_index for p in points if p.interface_index is not None}
    fitting = [names for names in listed if numbers <= names.keys()]
    # Two machines in one file number their interfaces apart.
    if len(numbers) < INTERFACES_LEAST or len(fitting) != 1 or len({p.machine for p in points}) > 1:
        return capture
    (names,) = fitting
    named = (p if p.interface_index is None else replace(p, name=names[p.interface_index]) for p in points)
    return replace(capture, vantage_points=tuple(named))
