"""The table of round trips that people read: one row a sample, however many vantage points saw it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from backend.forensics.addresses import address_text
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.round_trips import every_sample
from backend.forensics.report import FindingPart
from backend.forensics.round_trips import KIND_NAMES

BATCH_ROWS = 1 << 16
SCHEMA = pa.schema(
    [
        ("sid", pa.int64()),  # number of the row, by time of sending
        ("sent_ns", pa.int64()),
        ("rtt_ms", pa.float64()),
        ("kind", pa.string()),
        ("prober", pa.string()),
        ("prober_port", pa.int32()),
        ("responder", pa.string()),
        ("responder_port", pa.int32()),
        ("input", pa.string()),  # frames are numbers of this input
        ("vantage", pa.string()),
        ("sent_frame", pa.int64()),
        ("answer_frame", pa.int64()),
        ("finding", pa.string()),  # id of the finding whose stall held it, else null
        ("instance", pa.int32()),  # which of its stalls
    ]
)


def round_trip_batches(facts: Facts, findings: Sequence[FindingPart]) -> Iterator[pa.RecordBatch]:
    """All samples of all captures by time of sending; columns are SCHEMA. Memory: 90 bytes a sample."""
    rows, place = every_sample(facts.captures, facts.attempts.sightings)
    held = _held(findings)
    places = facts.attempts.places
    for begin in range(0, len(rows), BATCH_ROWS):
        part, at = rows[begin : begin + BATCH_ROWS], place[begin : begin + BATCH_ROWS]
        inputs = [places[n].input for n in at.tolist()]
        frames = part["sent_frame"].tolist()
        told = [held.get((name, frame), (None, None)) for name, frame in zip(inputs, frames, strict=True)]
        columns = {
            "sid": np.arange(begin, begin + len(part)),
            "sent_ns": part["sent_ns"],
            "rtt_ms": part["rtt_ns"] / 1e6,
            "kind": [KIND_NAMES[kind] for kind in part["kind"].tolist()],
            "prober": _texts(part, "prober"),
            "prober_port": part["prober_port"].astype(np.int32),
            "responder": _texts(part, "responder"),
            "responder_port": part["responder_port"].astype(np.int32),
            "input": inputs,
            "vantage": [places[n].id for n in at.tolist()],
            "sent_frame": part["sent_frame"].astype(np.int64),
            "answer_frame": part["answer_frame"].astype(np.int64),
            "finding": [finding for finding, _ in told],
            "instance": [instance for _, instance in told],
        }
        arrays = [pa.array(columns[field.name], field.type) for field in SCHEMA]
        yield pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


def _texts(rows: NDArray[np.void], end: str) -> list[str]:
    return [address_text(h, low) for h, low in rows[[f"{end}_high", f"{end}_low"]].tolist()]


def _held(findings: Sequence[FindingPart]) -> dict[tuple[str, int], tuple[str, int]]:
    """By (input, frame) of a question: the finding and the instance that held it."""
    held = {}
    for finding in findings:
        for event in finding.events:
            if "flows_stalled" in event:
                for frame in event.get("frames", []):
                    held[str(event["input"]), int(frame)] = (finding.id, int(event["instance"]))
    return held
