"""The table of round trips that people read: one row a sample, and one for each farther vantage point that saw it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from backend.forensics.addresses import address_text
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.round_trips.round_trips import NOT_KNOWN, RoundTrips, every_sample
from backend.forensics.report import FindingPart
from backend.forensics.round_trips import KIND_NAMES

BATCH_ROWS = 1 << 16
SCHEMA = pa.schema(
    [
        ("sid", pa.int64()),  # number of the row: samples by time of sending, behind them farther sightings
        ("sent_ns", pa.int64()),  # of a farther sighting: when it passed the nearest vantage point
        ("rtt_ms", pa.float64()),  # from here to the responder and back
        ("kind", pa.string()),
        ("prober", pa.string()),  # empty where a listing does not show
        ("prober_port", pa.int32()),
        ("responder", pa.string()),
        ("responder_port", pa.int32()),
        ("input", pa.string()),  # frames are numbers of this input
        ("vantage", pa.string()),  # null for a listing
        ("sent_frame", pa.int64()),  # of a listing: the line
        ("answer_frame", pa.int64()),
        ("finding", pa.string()),  # id of the finding whose stall held it, else null
        ("instance", pa.int32()),  # which of its stalls
        ("probe", pa.int64()),  # `sid` of the sighting nearest to the prober: its own where that is this one
        ("nearest", pa.bool_()),
        (
            "there_ms",
            pa.float64(),
        ),  # from the nearest vantage point to here, null where clocks cannot be compared
        ("flow", pa.int64()),  # equal for one direction of one connection, or one series of echoes
        ("printed", pa.bool_()),  # stated by a listing, not by packets
        ("at_ns", pa.int64()),  # `sent_ns` on the clock that all times of the report are on
    ]
)


@dataclass(frozen=True)
class _Rows:
    """Samples as they are written, from captures and from listings; the arrays run beside one another."""

    rows: NDArray[np.void]
    inputs: list[str]
    vantages: list[str | None]
    targets: list[str]
    """Whom a listing says it asked, "" in captures."""
    source: Ints
    """Index into the four above."""
    probe: Ints
    flow: Ints
    there_ns: Ints
    at_ns: Ints
    nearest: int


def round_trip_batches(facts: Facts, findings: Sequence[FindingPart]) -> Iterator[pa.RecordBatch]:
    """All samples of all captures, and of listings, by time of sending; columns are SCHEMA. Memory: 130 bytes a sample
    of every vantage point."""
    whole = _collect(facts)
    held = _held(findings)
    references: list[tuple[str | None, int | None]] = []
    for begin in range(0, len(whole.rows), BATCH_ROWS):
        end = min(begin + BATCH_ROWS, len(whole.rows))
        frames = whole.rows["sent_frame"][begin:end].tolist()
        inputs = [whole.inputs[n] for n in whole.source[begin:end].tolist()]
        if begin < whole.nearest:  # a farther sighting is held where the nearest is
            references += [
                held.get((name, frame), (None, None)) for name, frame in zip(inputs, frames, strict=True)
            ]
        of_probe = [references[n] for n in whole.probe[begin:end].tolist()]
        yield _batch(whole, slice(begin, end), inputs, of_probe)


def _batch(
    whole: _Rows, at: slice, inputs: list[str], references: list[tuple[str | None, int | None]]
) -> pa.RecordBatch:
    part, source = whole.rows[at], whole.source[at].tolist()
    targets = [whole.targets[n] for n in source]
    there = whole.there_ns[at]
    numbers = np.arange(at.start, at.stop)
    columns = {
        "sid": numbers,
        "sent_ns": whole.rows["sent_ns"][whole.probe[at]],
        "rtt_ms": part["rtt_ns"] / 1e6,
        "kind": [KIND_NAMES[kind] for kind in part["kind"].tolist()],
        "prober": ["" if t else name for t, name in zip(targets, _texts(part, "prober"), strict=True)],
        "prober_port": part["prober_port"].astype(np.int32),
        "responder": [t or name for t, name in zip(targets, _texts(part, "responder"), strict=True)],
        "responder_port": part["responder_port"].astype(np.int32),
        "input": inputs,
        "vantage": [whole.vantages[n] for n in source],
        "sent_frame": part["sent_frame"].astype(np.int64),
        "answer_frame": part["answer_frame"].astype(np.int64),
        "finding": [finding for finding, _ in references],
        "instance": [instance for _, instance in references],
        "probe": whole.probe[at],
        "nearest": numbers < whole.nearest,
        "flow": whole.flow[at],
        "printed": [bool(t) for t in targets],
        "at_ns": whole.at_ns[at],
    }
    arrays = [
        pa.array(there / 1e6, field.type, mask=there == NOT_KNOWN)
        if field.name == "there_ms"
        else pa.array(columns[field.name], field.type)
        for field in SCHEMA
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


def _collect(facts: Facts) -> _Rows:
    """The captures' samples with those that only a listing shows between them, by time of sending."""
    samples = every_sample(facts.captures, facts.attempts.sightings)
    places = facts.attempts.places
    listed, listing = _listed(facts.round_trips, with_untimed=not facts.has_packets)
    sources = facts.round_trips.sources
    near, far = samples.rows[: samples.nearest], samples.rows[samples.nearest :]
    rows = np.concatenate([near, listed, far])
    nearest = len(near) + len(listed)
    order = np.concatenate(
        [np.argsort(rows["sent_ns"][:nearest], kind="stable"), np.arange(nearest, len(rows))]
    )
    listed_at = listed["sent_ns"].astype(np.int64)
    new = np.empty(len(rows), np.int64)
    new[order] = np.arange(len(rows))
    probe = np.concatenate([np.arange(nearest), samples.probe[samples.nearest :]])
    flows = int(samples.flow.max(initial=-1)) + 1
    extra = np.zeros(len(listed), np.int64)
    return _Rows(
        rows=rows[order],
        inputs=[p.input for p in places] + [s.input for s in sources],
        vantages=[p.id for p in places] + [None] * len(sources),
        targets=[""] * len(places) + [s.target or s.input if s.printed else "" for s in sources],
        source=_between(samples.place, samples.nearest, len(places) + listing)[order],
        probe=new[probe][order],
        flow=_between(samples.flow, samples.nearest, flows + listing)[order],
        there_ns=_between(samples.there_ns, samples.nearest, extra)[order],
        at_ns=_between(samples.at_ns, samples.nearest, listed_at)[order],
        nearest=nearest,
    )


def _between(values: Ints, at: int, more: Ints) -> Ints:
    return np.concatenate([values[:at], more, values[at:]])


def _listed(trips: RoundTrips, *, with_untimed: bool) -> tuple[NDArray[np.void], Ints]:
    """(samples that only listings show, the number of the source of each); those without times of day can be placed
    only where there is nothing else."""
    wanted = [s.printed and (s.timed or with_untimed) for s in trips.sources]
    rows = np.flatnonzero(np.array(wanted, np.bool_)[trips.capture]) if len(trips.rows) else trips.capture
    return trips.rows[rows], trips.capture[rows]


def _texts(rows: NDArray[np.void], end: str) -> list[str]:
    return [address_text(h, low) for h, low in rows[[f"{end}_high", f"{end}_low"]].tolist()]


def _held(findings: Sequence[FindingPart]) -> dict[tuple[str, int], tuple[str, int]]:
    """By (input, frame) of a question: the finding and the instance that held it."""
    held = {}
    for finding in findings:
        for event in finding.events:
            if "flows_stalled" in event:
                for frame in event.get("frames") or event.get("lines") or ():
                    held[str(event["input"]), int(frame)] = (finding.id, int(event["instance"]))
    return held
