"""What entries of connection tracking show by themselves: stale ones that are kept alive, and half-closed ones that
count down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backend.forensics.addresses import address_text
from backend.forensics.dumps import conntrack as states
from backend.forensics.evidence.counters import DumpInput
from backend.forensics.evidence.kernel_signs import Line

LINES_MOST = 50
_UDP = 17
_HALF_CLOSED = ("CLOSE_WAIT", "FIN_WAIT", "LAST_ACK")
_ORIGINAL = tuple(
    f"original_{end}_{part}" for end in ("source", "destination") for part in ("high", "low", "port")
)


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
        silent = same & ((udp["flags"] & states.UNREPLIED) != 0)
        for row in udp[silent]:
            mine = _same_target(udp, row) & ~same
            if not mine.any():
                continue
            other = udp[mine][0]
            target = _end(row, "original_destination")
            pair = any(_tuple(candidate) == _tuple(row) for candidate in udp[mine])
            lines = tuple((each.input, int(line)) for line in (row["line"], *udp[mine]["line"][:LINES_MOST]))
            found.setdefault(target, TwoWays(target, _end(other, "reply_source"), lines, pair))
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


def _same_target(rows: NDArray[np.void], row: np.void) -> NDArray[np.bool_]:
    same: NDArray[np.bool_] = rows["original_destination_port"] == row["original_destination_port"]
    for part in ("high", "low"):
        same &= rows[f"original_destination_{part}"] == row[f"original_destination_{part}"]
    return same


def _tuple(row: np.void) -> tuple[int, ...]:
    return tuple(int(row[name]) for name in _ORIGINAL)


def _end(row: np.void, end: str) -> str:
    address = address_text(int(row[f"{end}_high"]), int(row[f"{end}_low"]))
    shown = f"[{address}]" if ":" in address else address
    return f"{shown}:{int(row[f'{end}_port'])}"
