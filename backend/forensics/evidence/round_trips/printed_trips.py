"""Round trips that a tool printed (hping3, ping): samples without packets.

Some tools print no time of sending. While a queue stands still the round trips of probes sent at a fixed interval fall
by that interval, so falling steps of one size show it. Without them the tools' usual second is taken: a listing in
which nothing falls shows no queue that stood still, whatever the interval was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backend.forensics.addresses import address_halves
from backend.forensics.dumps.probes import NOT_SHOWN, ProbeSeries
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.evidence.round_trips.late_answers import LATE_NS
from backend.forensics.packets import NO_CONNECTION
from backend.forensics.round_trips import PRINTED, ROUND_TRIP_DTYPE

LEAST_STEPS: Final = 3
USUAL_INTERVAL_NS: Final = 1_000_000_000
"""ping(8) and hping3(8) send a probe a second unless an option sets another."""
STEP_TOLERANCE: Final = 0.15
"""Falling steps of one size differ by less (ratio): probes leave a little later than they should."""
LIKE_SHARE: Final = 0.6
"""So many of the falling steps must be of that size (ratio); on a path that jitters they are of any."""


@dataclass(frozen=True)
class PrintedTrips:
    """One run of a tool. `rows` are ROUND_TRIP_DTYPE; `sent_frame` is a line of `input`. `timed`: times are UTC, else
    ns since the first probe."""

    input: str
    target: str
    rows: NDArray[np.void]
    timed: bool


def printed_trips(dumps: Sequence[DumpInput]) -> Iterator[PrintedTrips]:
    """Every run in which a probe was answered."""
    for each in dumps:
        table = each.dump.probes.rows
        for number, series in enumerate(each.dump.probe_series):
            probes = table[(table["series"] == number) & (table["rtt_ns"] != NOT_SHOWN)]
            probes = probes[np.argsort(probes["sequence"], kind="stable")]
            timed = bool(len(probes)) and bool((probes["sent_ns"] != NOT_SHOWN).all())
            if len(probes):
                sent_ns = probes["sent_ns"].astype(np.int64) if timed else _sent_ns(probes, series)
                rows = _rows(probes, series, sent_ns)
                yield PrintedTrips(each.input, series.target or series.address, rows, timed)


def _rows(probes: NDArray[np.void], series: ProbeSeries, sent_ns: Ints) -> NDArray[np.void]:
    rows = np.zeros(len(probes), ROUND_TRIP_DTYPE)
    rows["sent_ns"], rows["rtt_ns"] = sent_ns, probes["rtt_ns"]
    rows["sent_frame"] = rows["answer_frame"] = probes["line"]
    rows["sequence"], rows["kind"], rows["connection"] = probes["sequence"], PRINTED, NO_CONNECTION
    rows["responder_port"] = series.port or 0
    with suppress(ValueError):  # only a name was printed
        rows["responder_high"], rows["responder_low"] = address_halves(series.address)
    return rows


def _sent_ns(probes: NDArray[np.void], series: ProbeSeries) -> Ints:
    """Times since the first probe: an interval apart, or later where the lines, which come in the order of the
    answers, would otherwise be in another."""
    interval_ns = round(series.interval_s * 1e9) if series.interval_s else _falling_step_ns(probes)
    gaps = np.diff(probes["sequence"].astype(np.int64)) * (interval_ns or USUAL_INTERVAL_NS)
    falls = -np.diff(probes["rtt_ns"].astype(np.int64))
    in_order = np.diff(probes["line"].astype(np.int64)) > 0
    gaps = np.where(in_order, np.maximum(gaps, falls), gaps)
    return np.concatenate([[0], np.cumsum(gaps)])


def _falling_step_ns(probes: NDArray[np.void]) -> int | None:
    """The one size by which late round trips fall from probe to probe, None when there is no such size."""
    rtt_ns, sequence = probes["rtt_ns"].astype(np.int64), probes["sequence"].astype(np.int64)
    if len(rtt_ns) <= LEAST_STEPS:
        return None
    steps = rtt_ns[:-1] - rtt_ns[1:]
    late = rtt_ns - int(np.percentile(rtt_ns, 20)) > LATE_NS
    falling = steps[(np.diff(sequence) == 1) & late[:-1] & late[1:] & (steps > 0)]
    if len(falling) < LEAST_STEPS:
        return None
    step_ns = int(np.median(falling))
    identical = np.abs(falling - step_ns) <= STEP_TOLERANCE * step_ns
    return step_ns if np.count_nonzero(identical) >= max(LEAST_STEPS, LIKE_SHARE * len(falling)) else None
