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
from backend.forensics.evidence.clocks.sorted_rows import distinct, lexsort
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.evidence.kernel.kernel_signs import Line

LINES_MOST = 50
CLOSE_S = 10
"""nf_conntrack_tcp_timeout_close: how long an entry lives after a RST."""
DATE_STEP_S = 1
"""`date` says whole seconds."""
_TCP, _UDP = 6, 17
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
    gone_after_s: float | None
    """How much later a listing of the table lacked it: its time had run out. None where none shows it."""


@dataclass(frozen=True)
class _Listed:
    """An entry in one listing; `listing` is its number by time."""

    listing: int
    state: str
    timeout_s: int
    line: Line


def find_untranslated_entries(dumps: Sequence[DumpInput]) -> list[TwoWays]:
    """By destination: UDP entries, UNREPLIED and not translated, beside others of the destination that are; of several
    listings the last that has any of the destination."""
    found: dict[str, TwoWays] = {}
    healed: set[str] = set()
    for each in reversed(by_time(dumps)):
        rows = _entries(each)
        udp = rows[rows["protocol"] == _UDP]
        same = (udp["reply_source_low"] == udp["original_destination_low"]) & (
            udp["reply_source_high"] == udp["original_destination_high"]
        )
        silent = udp[same & ((udp["flags"] & states.UNREPLIED) != 0)]
        translated = udp[~same]
        by_destination = GroupedRows(*(translated[name] for name in _DESTINATION))
        before = healed | found.keys()
        healed |= {_end(row, "original_destination") for row in udp[_first_of_each(udp, _DESTINATION)]}
        for row in silent[_first_of_each(silent, _DESTINATION)]:
            if _end(row, "original_destination") in before:
                continue
            others = translated[by_destination.of(*(int(row[name]) for name in _DESTINATION))]
            if not len(others):
                continue
            target = _end(row, "original_destination")
            lines = tuple((each.input, int(line)) for line in (row["line"], *others["line"][:LINES_MOST]))
            to = _end(others[0], "reply_source")
            found.setdefault(target, TwoWays(target, to, lines, _has_source_of(others, row)))
    return list(found.values())


def find_countdowns(dumps: Sequence[DumpInput]) -> list[Countdown]:
    """Half-closed entries whose time falls from listing to listing and that no later listing shows closed, those of the
    first line first."""
    ordered = by_time(dumps)
    seen: dict[tuple[int, ...], list[_Listed]] = {}
    targets: dict[tuple[int, ...], str] = {}
    for number, each in enumerate(ordered):
        rows = _entries(each)
        for row in rows[(rows["protocol"] == _TCP) & (rows["timeout_s"] >= 0)][:10_000]:
            listed = _Listed(
                number, states.STATES[row["state"]], int(row["timeout_s"]), (each.input, int(row["line"]))
            )
            seen.setdefault(_tuple(row), []).append(listed)
            targets[_tuple(row)] = _end(row, "original_destination")
    counting = ((targets[key], listed) for key, listed in seen.items())
    return [_countdown(ordered, target, listed) for target, listed in counting if _counts_down(listed)]


def _counts_down(listed: Sequence[_Listed]) -> bool:
    """Half-closed until the last listing that has it, and never renewed."""
    half = [each for each in listed if each.state == listed[-1].state]
    values = [each.timeout_s for each in half]
    falls = len(values) > 1 and values == sorted(values, reverse=True) and values[0] > values[-1]
    return falls and half[-1].state in _HALF_CLOSED


def _countdown(dumps: Sequence[DumpInput], target: str, listed: Sequence[_Listed]) -> Countdown:
    half = [each for each in listed if each.state == listed[-1].state]
    lines = tuple(each.line for each in half[:LINES_MOST])
    first, last = half[0], half[-1]
    gone = _gone_after_s(dumps, last)
    return Countdown(target, last.state, first.timeout_s, last.timeout_s, lines, gone)


def _gone_after_s(dumps: Sequence[DumpInput], last: _Listed) -> float | None:
    """Of the next whole listing of TCP entries: an entry that a RST ends stays for 10 s more, one of a connection that
    was closed for two minutes. So what is gone sooner, and after its time, has expired."""
    begin_ns = dumps[last.listing].dump.captured_at_ns
    for each in dumps[last.listing + 1 :]:
        rows, at_ns = _entries(each), each.dump.captured_at_ns
        others = rows[rows["protocol"] == _TCP]["state"]
        if not len(others) or begin_ns is None or at_ns is None:
            continue
        if all(states.STATES[state] in _HALF_CLOSED for state in distinct(others)):
            continue  # chosen by state
        after_s = (at_ns - begin_ns) / 1e9
        return after_s if last.timeout_s - DATE_STEP_S <= after_s <= CLOSE_S else None
    return None


def by_time(dumps: Sequence[DumpInput]) -> list[DumpInput]:
    """In the order in which they were taken; as given where one does not say when."""
    times = [each.dump.captured_at_ns for each in dumps]
    if any(time is None for time in times):
        return list(dumps)
    return sorted(dumps, key=lambda each: each.dump.captured_at_ns or 0)


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
