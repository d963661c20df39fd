"""What entries of connection tracking show by themselves: stale ones that are kept alive, and half-closed ones that
count down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backend.forensics.addresses import address_text
from backend.forensics.dumps import conntrack as states
from backend.forensics.evidence.clocks.grouped_rows import GroupedRows
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.clocks.sorted_rows import lexsort
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.evidence.kernel.kernel_signs import Line

LINES_MOST = 50
_UDP = 17
_HALF_CLOSED = ("CLOSE_WAIT", "FIN_WAIT", "LAST_ACK")
_SOURCE, _DESTINATION = (
    tuple(f"original_{end}_{part}" for part in ("high", "low", "port")) for end in ("source", "destination")
)
_ORIGINAL = (*_SOURCE, *_DESTINATION)


@dataclass(frozen=True)
class TwoWays:
    """Entries of one address and port that are translated, and one without an answer that is not."""

    target: str
    translated_to: str
    lines: tuple[Line, ...]
    same_tuple: bool
    """The one without translation has the ports of one that has it: it was there at another time."""


@dataclass(frozen=True)
class Countdown:
    """A half-closed entry in several listings: its time runs out."""

    target: str
    state: str
    first_s: int
    last_s: int
    lines: tuple[Line, ...]


def find_untranslated_entries(dumps: Sequence[DumpInput]) -> list[TwoWays]:
    """By destination: UDP entries, UNREPLIED and not translated, beside others of the destination that are."""
    found: dict[str, TwoWays] = {}
    for each in dumps:
        rows = _entries(each)
        udp = rows[rows["protocol"] == _UDP]
        same = (udp["reply_source_low"] == udp["original_destination_low"]) & (
            udp["reply_source_high"] == udp["original_destination_high"]
        )
        silent = udp[same & ((udp["flags"] & states.UNREPLIED) != 0)]
        translated = udp[~same]
        by_destination = GroupedRows(*(translated[name] for name in _DESTINATION))
        for row in silent[_first_of_each(silent, _DESTINATION)]:
            others = translated[by_destination.of(*(int(row[name]) for name in _DESTINATION))]
            if not len(others):
                continue
            target = _end(row, "original_destination")
            lines = tuple((each.input, int(line)) for line in (row["line"], *others["line"][:LINES_MOST]))
            to = _end(others[0], "reply_source")
            found.setdefault(target, TwoWays(target, to, lines, _has_source_of(others, row)))
    return list(found.values())


def find_countdowns(dumps: Sequence[DumpInput]) -> list[Countdown]:
    """Half-closed entries whose time falls from listing to listing, those of the first line first."""
    seen: dict[tuple[int, ...], list[tuple[int, int, Line]]] = {}
    names: dict[tuple[int, ...], tuple[str, str]] = {}
    codes = [states.STATES.index(name) for name in _HALF_CLOSED if name in states.STATES]
    for each in dumps:
        rows = _entries(each)
        for row in rows[np.isin(rows["state"], codes) & (rows["timeout_s"] >= 0)][:10_000]:
            key = (*_tuple(row), int(row["state"]))
            line = (each.input, int(row["line"]))
            seen.setdefault(key, []).append((int(row["timeout_s"]), int(row["line"]), line))
            names[key] = _end(row, "original_destination"), states.STATES[row["state"]]
    found = []
    for key, times in seen.items():
        values = [time for time, _, _ in times]
        if len(values) > 1 and values == sorted(values, reverse=True) and values[0] > values[-1]:
            lines = tuple(line for _, _, line in times[:LINES_MOST])
            found.append(Countdown(*names[key], values[0], values[-1], lines))
    return found


def _entries(each: DumpInput) -> NDArray[np.void]:
    rows: NDArray[np.void] = each.dump.entries.rows
    return rows if each.dump.kind == "conntrack-list" else rows[:0]


def _first_of_each(rows: NDArray[np.void], names: Sequence[str]) -> Ints:
    """The first row with each combination of values in these columns, in the order of the table."""
    order = lexsort(tuple(rows[name] for name in names))
    differs = np.ones(len(order), np.bool_)
    differs[1:] = np.any([rows[name][order[1:]] != rows[name][order[:-1]] for name in names], axis=0)
    return np.sort(order[differs])


def _has_source_of(rows: NDArray[np.void], row: np.void) -> bool:
    return bool(np.all([rows[name] == row[name] for name in _SOURCE], axis=0).any())


def _tuple(row: np.void) -> tuple[int, ...]:
    return tuple(int(row[name]) for name in _ORIGINAL)


def _end(row: np.void, end: str) -> str:
    address = address_text(int(row[f"{end}_high"]), int(row[f"{end}_low"]))
    shown = f"[{address}]" if ":" in address else address
    return f"{shown}:{int(row[f'{end}_port'])}"
