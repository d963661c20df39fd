"""Who ran when a stall ended: stalls joined with listings of what programs did on the host that stood still.

A queue that stood still is emptied when whatever held up its CPU lets go. A kernel probe that prints the process under
which each echo was taken names it in the row of the first packet held; strace names it by a call that ends as the stall
does. Neither proves anything alone: the same process may be there all the time. So each is compared with how often it
is there otherwise (Fisher's exact test; a binomial test for calls)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from backend.forensics.dumps import PacketProcess, SystemCall
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.private_words import of_program
from backend.forensics.significance import binomial_tail, fisher_exact_p
from backend.forensics.wording import p_text, percent

SURE_P = 0.01
"""Of a blocking process, all processes that were looked at counted in: below that chance is no explanation."""
LEAST_STALLS = 2
"""One stall that ends under some process says nothing: some process always runs."""
ENDS_TOGETHER_NS = 20_000_000
"""A call that held up the CPU ends at most so long before or after the last held answer: a drain takes a few
milliseconds, and clocks of host and capture are compared by NTP at best."""
COVERS_RATIO = 0.5
"""Of the stall, the least that the call must have lasted."""
QUARTER_HOUR_NS = 900_000_000_000
DAY_NS = 86_400_000_000_000
_NETWORK_THREAD = "ksoftirqd"


@dataclass(frozen=True)
class StallSpan:
    """A stall as listings see it: its interval, and the numbers of the echoes it held, by time of sending."""

    start_ns: int
    end_ns: int
    echoes: tuple[int, ...] = ()
    timed: bool = True
    """Whether the times are UTC; a listing without times knows only how far its probes are apart."""


@dataclass(frozen=True)
class BlockingProcess:
    """A process that was there when stalls ended. Of `stalls` that the listing covers it was there at `named`; of
    `others`, moments that had nothing to do with a stall, at `seen`."""

    process: str
    what: str
    """``took the first held packet``, or the call: ``read of /sys/fs/cgroup/memory/memory.stat``."""
    named: int
    stalls: int
    seen: float
    others: float
    p_value: float
    """That it is there so often by accident, times the number of processes compared (Bonferroni)."""
    input: str
    lines: tuple[int, ...]

    @property
    def sure(self) -> bool:
        """Whether chance is no explanation."""
        return self.named >= LEAST_STALLS and self.p_value <= SURE_P

    @property
    def statement(self) -> str:
        """The finding in words, with its counts."""
        usual = self.seen / self.others if self.others else 0.0
        return (
            f"{of_program(self.process)} {self.what} at {self.named:,} of {self.stalls:,} stalls, "
            f"otherwise at {percent(usual)} of the time ({p_text(self.p_value)})"
        )


def find_blocking_processes(
    stalls: Sequence[StallSpan], dumps: Iterable[DumpInput]
) -> tuple[BlockingProcess, ...]:
    """Everybody who was there at the end of a stall, the least accidental first."""
    found: list[BlockingProcess] = []
    for each in dumps:
        if each.dump.packet_processes:
            found += _by_packets(stalls, each.dump.packet_processes, each.input)
        if each.dump.system_calls:
            timed = [stall for stall in stalls if stall.timed]
            found += _by_calls(timed, each.dump.system_calls, each.input)
    return tuple(sorted(found, key=lambda c: (c.p_value, -c.named, c.process, c.what, c.input)))


def _by_packets(
    stalls: Sequence[StallSpan], listed: Sequence[PacketProcess], name: str
) -> list[BlockingProcess]:
    starts = _drains(stalls, listed)
    at_drain = {row for row in starts if row is not None}
    drains = len(at_drain)
    if not drains:
        return []
    elsewhere = Counter(_name(entry) for row, entry in enumerate(listed) if row not in at_drain)
    others = len(listed) - drains
    named: dict[str, list[PacketProcess]] = {}
    for row in sorted(at_drain):
        if not listed[row].idle:
            named.setdefault(_name(listed[row]), []).append(listed[row])
    blocking_processes = []
    for process, rows in named.items():
        seen = elsewhere[process]
        table = ((len(rows), drains - len(rows)), (seen, others - seen))
        p_value = min(1.0, fisher_exact_p(table, "greater") * len(named))
        blocking_processes.append(
            BlockingProcess(
                process,
                "was interrupted by the first held packet",
                len(rows),
                drains,
                seen,
                others,
                p_value,
                name,
                tuple(entry.line for entry in rows),
            )
        )
    return blocking_processes


def _name(entry: PacketProcess) -> str:
    """Threads of one kind on several CPUs are one: ``ksoftirqd/11``."""
    kind, slash, cpu = entry.process.rpartition("/")
    return kind if slash and cpu.isdigit() else entry.process


def _drains(stalls: Sequence[StallSpan], listed: Sequence[PacketProcess]) -> list[int | None]:
    """Of each stall the row in which its first held packet was taken by a process, None where the listing has none.

    The network thread takes over what is left when a drain lasts: its row shows nothing, the one before may. Numbers
    are printed in either byte order; that of more rows is right."""
    rows_of = {number: row for row, number in reversed([(r, p.sequence) for r, p in enumerate(listed)])}
    swapped = {number: ((number & 0xFF) << 8) | (number >> 8) for number in range(65_536)}
    held = [number for stall in stalls for number in stall.echoes]
    turned = sum(swapped[n & 0xFFFF] in rows_of for n in held) > sum((n & 0xFFFF) in rows_of for n in held)
    drains: list[int | None] = []
    for stall in stalls:
        numbers = [swapped[n & 0xFFFF] if turned else n & 0xFFFF for n in stall.echoes]
        taken = sorted(rows_of[number] for number in numbers if number in rows_of)
        row = taken[0] if taken else None
        if row is not None and row > 0 and listed[row].process.startswith(_NETWORK_THREAD):
            before = listed[row - 1]
            if not before.idle and not before.process.startswith(_NETWORK_THREAD):
                row -= 1
        drains.append(row)
    return drains


def _by_calls(stalls: Sequence[StallSpan], calls: Sequence[SystemCall], name: str) -> list[BlockingProcess]:
    """Calls that lasted for a good part of a stall and ended with it. Those without a time can show nothing."""
    timed = [call for call in calls if call.time_ns is not None or call.time_of_day_s is not None]
    if not timed or not stalls:
        return []
    shortest_s = COVERS_RATIO * min(stall.end_ns - stall.start_ns for stall in stalls) / 1e9
    groups: dict[tuple[str, str], list[SystemCall]] = {}
    for call in timed:
        if call.duration_s >= shortest_s:
            groups.setdefault((_caller(call), _what(call)), []).append(call)
    best: list[BlockingProcess] = []
    for shift_ns in _zones(timed):
        covered = _covered_stalls(stalls, timed, shift_ns)
        found = [_of_group(covered, who, what, own, shift_ns, name) for (who, what), own in groups.items()]
        named = [blocking for blocking in found if blocking is not None]
        if sum(c.named for c in named) > sum(c.named for c in best):
            best = named
    tested = len(groups) * len(_zones(timed))
    return [replace(c, p_value=min(1.0, c.p_value * tested)) for c in best]


def _covered_stalls(
    stalls: Sequence[StallSpan], calls: Sequence[SystemCall], shift_ns: int
) -> list[StallSpan]:
    """Those that ended while the trace was taken."""
    near_ns = stalls[0].start_ns
    first = _begin_ns(calls[0], near_ns, shift_ns) - ENDS_TOGETHER_NS
    last = max(_begin_ns(call, near_ns, shift_ns) + round(call.duration_s * 1e9) for call in calls[-100:])
    return [stall for stall in stalls if first <= stall.end_ns <= last + ENDS_TOGETHER_NS]


def _zones(calls: Sequence[SystemCall]) -> range:
    """What may have to be added to times of day: the host's zone is not printed (UTC-12 to UTC+14, in quarters)."""
    if all(call.time_ns is not None for call in calls):
        return range(1)
    return range(-14 * 4 * QUARTER_HOUR_NS, 12 * 4 * QUARTER_HOUR_NS + 1, QUARTER_HOUR_NS)


def _caller(call: SystemCall) -> str:
    return call.process or ("" if call.pid is None else f"process {call.pid}") or "the traced process"


def _what(call: SystemCall) -> str:
    return f"in {call.name} of {call.path}" if call.path else f"in {call.name}"


def _of_group(
    stalls: Sequence[StallSpan], who: str, what: str, calls: Sequence[SystemCall], shift_ns: int, name: str
) -> BlockingProcess | None:
    """How many stalls end as one of these calls does, against the part of the time near ends of such calls."""
    if not stalls:
        return None
    took = np.array([call.duration_s * 1e9 for call in calls])
    begin = np.array([_begin_ns(call, stalls[0].start_ns, shift_ns) for call in calls])
    end = begin + took
    lines: list[int] = []
    for stall in stalls:
        near = np.abs(end - stall.end_ns) <= ENDS_TOGETHER_NS
        near &= took >= COVERS_RATIO * (stall.end_ns - stall.start_ns)
        lines += [calls[int(np.flatnonzero(near)[0])].line] if near.any() else []
    if not lines:
        return None
    first_ns = min(float(begin.min()), stalls[0].start_ns)
    seconds = (max(float(end.max()), stalls[-1].end_ns) - first_ns) / 1e9
    near_s = _covered(end, ENDS_TOGETHER_NS) / 1e9
    p_value = binomial_tail(len(lines), len(stalls), min(1.0, near_s / seconds))
    return BlockingProcess(who, what, len(lines), len(stalls), near_s, seconds, p_value, name, tuple(lines))


def _begin_ns(call: SystemCall, near_ns: int, shift_ns: int) -> int:
    """When the call began, UTC; a time of day is put within half a day of `near_ns`."""
    if call.time_ns is not None:
        return call.time_ns
    of_day = round((call.time_of_day_s or 0.0) * 1e9) + shift_ns
    midnight = near_ns - near_ns % DAY_NS
    return min((midnight + of_day + days * DAY_NS for days in (-1, 0, 1)), key=lambda t: abs(t - near_ns))


def _covered(ends: np.ndarray[tuple[int], np.dtype[np.float64]], around_ns: int) -> float:
    """Length of the union of the intervals around these times."""
    ends = np.sort(ends)
    gaps = np.minimum(np.diff(ends), 2 * around_ns)
    return float(gaps.sum() + 2 * around_ns)
