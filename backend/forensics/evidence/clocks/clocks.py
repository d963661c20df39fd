"""One clock for all captures: how far the clocks of their hosts are apart, and times on a common one.

Captures that share no packet, or whose clocks contradict themselves, stay apart: nothing is claimed between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from backend.forensics.captures import Capture
from backend.forensics.evidence.clocks.clock_fit import ClockFit, fit_clock
from backend.forensics.evidence.clocks.matched_packets import Matches, match_packets, match_samples
from backend.forensics.evidence.clocks.sorted_rows import distinct
from backend.forensics.private_words import of_file

Ints = NDArray[np.int64]

CORRECTED_FROM_NS = 100_000
"""Of an offset so much must be more than the path's delay can explain. Interfaces of one host stamp a packet up to
tens of microseconds after it passed, never so much apart; a tenth of a millisecond matters to no window of a join."""
CORRECTED_ONE_WAY_FROM_NS = 250_000_000
"""With packets of one direction only, delay and offset are one sum. No path on earth delays every packet by a
quarter of a second but over a geostationary satellite, and more than that would part sightings of one packet."""
_COMPARABLE = 4
"""A pair of vantage points stands for its captures when it has a quarter of the best one's packets."""


@dataclass(frozen=True)
class ClockOffset:
    """The clock of `input` minus the clock of `reference`, at `at_ns` of `input`'s."""

    input: str
    reference: str
    offset_ns: int
    drift_ppm: float
    """By how much `input`'s clock runs faster, in millionths."""
    at_ns: int
    uncertainty_ns: int
    """With packets of both directions the true offset is no further away; with one it may be all delay."""
    delay_ns: int
    """Least time of a packet from one capture to the other."""
    matched: int
    """Packets recognised in both captures; 0 where a third capture was compared with both."""
    both_directions: bool
    corrected: bool
    """Whether times of `input` are corrected by it; not where the path's delay may explain all of it."""


@dataclass(frozen=True)
class Shift:
    """What to take off a time: `offset_ns` + `drift` × (time − `at_ns`)."""

    offset_ns: int = 0
    drift: float = 0.0
    at_ns: int = 0

    def of(self, time_ns: Ints) -> Ints:
        if not self.drift:
            return np.full_like(time_ns, self.offset_ns)
        moved: Ints = np.rint(self.drift * (time_ns - self.at_ns)).astype(np.int64)
        return self.offset_ns + moved

    def after(self, inner: Shift) -> Shift:
        """`inner` first, this one of what it gives: both are straight lines, and so is the whole."""
        at = inner.at_ns - inner.offset_ns
        outer = int(self.of(np.array([at]))[0])
        drift = inner.drift + self.drift * (1 - inner.drift)
        return Shift(inner.offset_ns + outer, drift, inner.at_ns)


@dataclass(frozen=True)
class Clocks:
    """`group` is by number of the capture: those with one number are on one clock, that of the group's first.
    `offsets` compare each other capture with that one."""

    names: tuple[str, ...] = ()
    group: tuple[int, ...] = ()
    offsets: tuple[ClockOffset, ...] = ()
    direct: tuple[ClockOffset, ...] = ()
    """Every two captures that were compared with one another."""
    problems: tuple[str, ...] = ()
    """Sentences: what cannot be compared, and why."""
    _shifts: tuple[Shift, ...] = ()

    def on_reference(self, capture: int, time_ns: Ints) -> Ints:
        """Times of that capture on the clock of its group, in ns."""
        corrected: Ints = time_ns - self._shifts[capture].of(time_ns)
        return corrected

    def at_reference(self, capture: int, time_ns: int) -> int:
        """One time of that capture on the clock of its group, in ns."""
        return int(self.on_reference(capture, np.array([time_ns], np.int64))[0])

    def of_captures(self, capture: Ints, time_ns: Ints) -> Ints:
        """Times of several captures, whose numbers stand beside them, on the clocks of their groups, in ns."""
        common: Ints = time_ns.copy()
        for number in distinct(capture).tolist():
            mine = capture == number
            common[mine] = self.on_reference(number, time_ns[mine])
        return common

    def own_time(self, capture: int, time_ns: int) -> int:
        """A time on the clock of the group as that capture's own clock showed it, in ns."""
        return int(self.own_times(capture, np.array([time_ns], np.int64))[0])

    def own_times(self, capture: int, time_ns: Ints) -> Ints:
        """`own_time` of many."""
        shift = self._shifts[capture]
        own: Ints = time_ns + shift.of(time_ns + shift.of(time_ns))
        return own

    def between(self, name: str, reference: str) -> ClockOffset | None:
        """`name`'s clock minus `reference`'s as it was measured, corrected or not; None when they were never
        compared. Through the group's clock where the two have no packet in common."""
        for each in self.direct:
            if (each.input, each.reference) == (name, reference):
                return each
            if (each.input, each.reference) == (reference, name):
                return _reversed(each)
        of = {each.input: each for each in self.offsets}
        numbers = [self.names.index(each) for each in (name, reference) if each in self.names]
        if len(numbers) < 2 or self.group[numbers[0]] != self.group[numbers[1]]:
            return None
        one, other = of.get(name), of.get(reference)
        if one is None or other is None:
            return one if other is None else _reversed(other)
        moved = other.offset_ns + round(other.drift_ppm * (one.at_ns - other.at_ns) / 1e6)
        return replace(
            one,
            reference=reference,
            offset_ns=one.offset_ns - moved,
            drift_ppm=one.drift_ppm - other.drift_ppm,
            uncertainty_ns=one.uncertainty_ns + other.uncertainty_ns,
            delay_ns=one.delay_ns + other.delay_ns,
            matched=0,
            both_directions=one.both_directions and other.both_directions,
            corrected=one.corrected or other.corrected,
        )


def _reversed(offset: ClockOffset) -> ClockOffset:
    return replace(
        offset,
        input=offset.reference,
        reference=offset.input,
        offset_ns=-offset.offset_ns,
        drift_ppm=-offset.drift_ppm,
        at_ns=offset.at_ns - offset.offset_ns,
    )


def compare_clocks(captures: Sequence[Capture]) -> Clocks:
    """Compare the clocks of all captures with packets that several of them saw."""
    names = tuple(capture.name for capture in captures)
    if len(captures) < 2:
        return Clocks(names, (0,) * len(captures), _shifts=(Shift(),) * len(captures))
    owner = np.repeat(np.arange(len(captures)), [len(c.vantage_points) for c in captures])
    fits = _all_fits(captures, owner)
    group, offsets, shifts = _align(names, fits)
    steady = {pair: fit for pair, fit in fits.items() if fit.steady}
    return Clocks(
        names,
        tuple(group),
        tuple(sorted(offsets, key=lambda offset: offset.input)),
        tuple(_direct(names, pair, fit) for pair, fit in sorted(steady.items())),
        _problems(captures, group, fits),
        tuple(shifts),
    )


def compare_interfaces(
    capture: Capture, owner: Ints, names: Sequence[str]
) -> tuple[list[ClockOffset], list[Shift]]:
    """The same within one capture. `owner`: by vantage point the number of the one whose clock stamped its packets,
    `names` and the shifts are by that number."""
    _, offsets, shifts = _align(names, _all_fits((capture,), owner))
    return offsets, shifts


def _all_fits(captures: Sequence[Capture], owner: Ints) -> dict[tuple[int, int], ClockFit]:
    """Of each two owners, by number: by handshakes, and where some share none by echoes and data, too, as their
    connections may have been open before."""
    fits = _fits(match_packets(captures, owner), owner)
    steady = {pair: fit for pair, fit in fits.items() if fit.steady}
    if any(_tree(int(owner.max(initial=0)) + 1, steady)[0]):
        fits = _fits(match_samples(captures, owner), owner) | fits
    return fits


def _align(
    names: Sequence[str], fits: dict[tuple[int, int], ClockFit]
) -> tuple[list[int], list[ClockOffset], list[Shift]]:
    """(group, offset of each but the first of its group, shift of each), by number."""
    steady = {pair: fit for pair, fit in fits.items() if fit.steady}
    group, parent = _tree(len(names), steady)
    shifts, offsets = [Shift()] * len(names), []
    measured, unsure_ns = [Shift()] * len(names), [0] * len(names)
    for number, known in parent:
        fit = steady[min(known, number), max(known, number)]
        own = _step(fit, forward=known < number)
        corrected = _is_corrected(fit)
        measured[number] = measured[known].after(own)
        shifts[number] = shifts[known].after(own) if corrected else shifts[known]
        unsure_ns[number] = unsure_ns[known] + fit.uncertainty_ns
        offset = _offset(names[number], names[group[number]], measured[number], fit, corrected)
        offsets.append(replace(offset, uncertainty_ns=unsure_ns[number]))
    return group, offsets, shifts


def _fits(matches: Matches, owner: Ints) -> dict[tuple[int, int], ClockFit]:
    """Of each two owners, by number, the most certain fit among their pairs of vantage points."""
    total = len(owner)
    number = matches.place_a * total + matches.place_b
    order = np.argsort(number, kind="stable")
    starts = np.flatnonzero(np.diff(number[order], prepend=-1))
    found: dict[tuple[int, int], list[ClockFit]] = {}
    for rows in np.split(order, starts[1:]) if len(order) else ():
        fit = fit_clock(
            matches.time_a_ns[rows], matches.time_b_ns[rows], matches.talk[rows], matches.asks[rows]
        )
        if fit is not None:
            a, b = int(owner[matches.place_a[rows[0]]]), int(owner[matches.place_b[rows[0]]])
            found.setdefault((a, b), []).append(fit)
    return {pair: _best(fits) for pair, fits in found.items()}


def _best(fits: Sequence[ClockFit]) -> ClockFit:
    most = max(fit.matched for fit in fits)
    return min(
        (fit for fit in fits if fit.matched * _COMPARABLE >= most),
        key=lambda fit: (not fit.both_directions, not fit.steady, fit.uncertainty_ns, -fit.matched),
    )


def _tree(total: int, fits: dict[tuple[int, int], ClockFit]) -> tuple[list[int], list[tuple[int, int]]]:
    """(first capture of each one's group, (capture, the one it is compared with) in an order in which the latter is
    known): the surest comparisons that connect all that can be connected."""
    group, parent = list(range(total)), []
    for root in range(total):
        if group[root] != root:
            continue
        inside = {root}
        while True:
            edges = [pair for pair in fits if (pair[0] in inside) != (pair[1] in inside)]
            if not edges:
                break
            a, b = min(edges, key=lambda p: (not fits[p].both_directions, fits[p].uncertainty_ns, p))
            number, known = (b, a) if a in inside else (a, b)
            inside.add(number)
            group[number] = root
            parent.append((number, known))
    return group, parent


def _step(fit: ClockFit, *, forward: bool) -> Shift:
    """The fit as a shift of its second capture, or, backward, of its first."""
    if forward:
        return Shift(fit.offset_ns, fit.drift, fit.at_ns)
    return Shift(-fit.offset_ns, -fit.drift, fit.at_ns - fit.offset_ns)


def _is_corrected(fit: ClockFit) -> bool:
    if not fit.both_directions:
        return fit.furthest_ns >= CORRECTED_ONE_WAY_FROM_NS
    return fit.furthest_ns - fit.uncertainty_ns >= CORRECTED_FROM_NS


def _offset(name: str, reference: str, shift: Shift, fit: ClockFit, corrected: bool) -> ClockOffset:
    return ClockOffset(
        name,
        reference,
        shift.offset_ns,
        shift.drift * 1e6,
        shift.at_ns,
        fit.uncertainty_ns,
        fit.delay_ns,
        fit.matched,
        fit.both_directions,
        corrected,
    )


def _direct(names: Sequence[str], pair: tuple[int, int], fit: ClockFit) -> ClockOffset:
    return _offset(names[pair[1]], names[pair[0]], _step(fit, forward=True), fit, _is_corrected(fit))


def _problems(
    captures: Sequence[Capture], group: Sequence[int], fits: dict[tuple[int, int], ClockFit]
) -> tuple[str, ...]:
    """One sentence for each group but the first; captures in which nothing is answered say nothing of their clock."""
    speaking = [n for n, c in enumerate(captures) if len(c.handshakes) or c.round_trips.rows]
    groups = list(dict.fromkeys(group[number] for number in speaking))
    said = []
    for other in groups[1:]:
        own = [n for n in speaking if group[n] == other]
        first = [n for n in speaking if group[n] == groups[0]]
        names = ", ".join(f"{of_file(captures[n].name)}" for n in own)
        reason = _reason(captures, first, own, fits)
        said.append(
            f"{names} and {of_file(captures[first[0]].name)}: {reason}; "
            "losses and repetitions between them are not judged"
        )
    return tuple(said)


def _reason(
    captures: Sequence[Capture],
    first: Sequence[int],
    own: Sequence[int],
    fits: dict[tuple[int, int], ClockFit],
) -> str:
    pairs = [(min(a, b), max(a, b)) for a in first for b in own]
    unsteady = [fits[pair].contradiction_ns for pair in pairs if pair in fits and not fits[pair].steady]
    if unsteady:
        return f"their clocks cannot be aligned, one was set by about {max(unsteady) / 1e9:,.1f} s meanwhile"
    apart = all(
        captures[a].last_ns < captures[b].first_ns or captures[b].last_ns < captures[a].first_ns
        for a in first
        for b in own
    )
    if apart:
        return "recorded at different times, and no packet is in both"
    return "too few packets are in both to compare their clocks"
