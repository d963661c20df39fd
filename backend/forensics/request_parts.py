"""The table of what served requests asked of others: one row a part of a request, for people to see it one by one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.clocks.sorted_rows import lexsort
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.requests.exchanges import read_rows
from backend.forensics.evidence.requests.latency_breakdown import METADATA, PARTS
from backend.forensics.evidence.requests.metadata_calls import kind_of
from backend.forensics.evidence.requests.request_shapes import callee_names
from backend.forensics.messages import SENT_AUTHORIZATION, SENT_TOKEN

SCHEMA = pa.schema(
    [
        ("served", pa.int64()),  # row of the breakdown; the request table has it, too
        ("kind", pa.string()),  # one of PARTS
        ("name", pa.string()),  # as in the shape of the request
        ("line", pa.string()),  # ``GET /latest/meta-data/…``; empty where it was no HTTP that could be read
        ("basis", pa.string()),  # inferred: recognized by the data's times alone
        ("after_ns", pa.int64()),  # begin, after that of the request at its server's side
        ("length_ns", pa.int64()),
        ("input", pa.string()),  # frames are this input's
        ("first_frame", pa.int64()),
        ("last_frame", pa.int64()),
        ("status", pa.int32()),
        ("withheld", pa.string()),  # what of it was secret and is not kept, in words; empty for nothing
    ]
)
_ROWS = 1 << 15
_SECRETS = {"credentials": "credentials in the response", "token": "token in the response"}
_SENT = {SENT_TOKEN: "token in the request", SENT_AUTHORIZATION: "Authorization in the request"}
_ASKED = ("method", "path", "marks", "request_first_frame")
_ANSWERED = ("response_last_frame", "response_first_frame", "status")


def part_batches(facts: Facts) -> Iterator[pa.RecordBatch]:
    """All parts of all served requests, by request and begin; columns are SCHEMA. Memory: the pairs and one batch."""
    breakdown = facts.breakdown
    if not len(breakdown):
        return
    names, name_of = callee_names(facts.captures, facts.exchanges, breakdown)
    outers, inners = breakdown.pairs
    order = lexsort((breakdown.parts.interval.start_ns[inners], outers))
    for begin in range(0, len(order), _ROWS):
        rows = order[begin : begin + _ROWS]
        yield _batch(facts, outers[rows], inners[rows], [names[n] for n in name_of[inners[rows]].tolist()])


def _batch(facts: Facts, outer: Ints, inner: Ints, named: list[tuple[str, str]]) -> pa.RecordBatch:
    parts, breakdown = facts.breakdown.parts, facts.breakdown
    begin = np.maximum(parts.interval.start_ns[inner], breakdown.start_ns[outer])
    end = np.minimum(parts.interval.end_ns[inner], breakdown.end_ns[outer])
    made = {
        "served": outer,
        "kind": [PARTS[kind] for kind in parts.kind[inner].tolist()],
        "name": [name for _, name in named],
        "basis": ["inferred" if each else "seen" for each in parts.inferred[inner].tolist()],
        "after_ns": begin - breakdown.start_ns[outer],
        "length_ns": end - begin,
        **_messages(facts, inner),
    }
    arrays = [pa.array(made[field.name], field.type) for field in SCHEMA]
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


def _messages(facts: Facts, inner: Ints) -> dict[str, list[object]]:
    """Where each part is in its capture, and what it asked."""
    parts = facts.breakdown.parts
    columns: dict[str, list[object]] = {
        "input": [facts.captures[n].name if n >= 0 else None for n in parts.capture[inner].tolist()],
        "first_frame": [frame if frame >= 0 else None for frame in parts.frame[inner].tolist()],
        "last_frame": [None] * len(inner),
        "line": [""] * len(inner),
        "status": [None] * len(inner),
        "withheld": [""] * len(inner),
    }
    read = np.flatnonzero(parts.exchange[inner] >= 0)
    if len(read):
        _fill_exchanges(facts, parts.exchange[inner[read]], parts.kind[inner[read]], read, columns)
    return columns


def _fill_exchanges(
    facts: Facts, exchange: Ints, kind: Ints, at: Ints, columns: dict[str, list[object]]
) -> None:
    exchanges = facts.exchanges
    asked = read_rows(facts.captures, exchanges.capture[exchange], exchanges.row[exchange], _ASKED)
    capture, row = exchanges.answer_capture[exchange], exchanges.answer_row[exchange]
    answered = read_rows(facts.captures, np.maximum(capture, 0), np.maximum(row, 0), _ANSWERED)
    marks = _numbers(asked["marks"])
    last, first = _numbers(answered["response_last_frame"]), _numbers(answered["response_first_frame"])
    ended = np.where(last >= 0, last, first)
    same = (row >= 0) & (capture == exchanges.capture[exchange])
    for n, place in enumerate(at.tolist()):
        line = f"{asked['method'][n].as_py()} {asked['path'][n].as_py()}"
        columns["input"][place] = facts.captures[int(exchanges.capture[exchange[n]])].name
        columns["first_frame"][place] = asked["request_first_frame"][n].as_py()
        columns["last_frame"][place] = int(ended[n]) if same[n] and ended[n] >= 0 else None
        columns["line"][place] = line
        columns["status"][place] = (answered["status"][n].as_py() or None) if row[n] >= 0 else None
        columns["withheld"][place] = _withheld(int(marks[n]), kind[n] == METADATA, line)


def _withheld(marks: int, is_metadata: bool, line: str) -> str:
    method, _, path = line.partition(" ")
    answer = _SECRETS.get(kind_of(method, path), "") if is_metadata else ""
    return ", ".join([words for bit, words in _SENT.items() if marks & bit] + ([answer] if answer else []))


def _numbers(column: pa.ChunkedArray) -> NDArray[np.int64]:
    numbers: NDArray[np.int64] = column.to_numpy().astype(np.int64)
    return numbers
