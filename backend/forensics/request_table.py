"""The table of HTTP requests that people read: one row a request, however many vantage points saw it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from backend.forensics.captures import Capture
from backend.forensics.connections import NEVER
from backend.forensics.evidence.anatomy import PARTS, Anatomy
from backend.forensics.evidence.facts import Facts
from backend.forensics.messages import HTTP_DTYPE, REQUEST_SEEN, RESPONSE_SEEN, TEXTS

Ints = NDArray[np.int64]

SCHEMA = pa.schema(
    [
        ("rid", pa.int64()),  # number of the row
        ("cid", pa.int64()),  # row of the connection table
        ("input", pa.string()),  # where it was seen first on its way; frames are this input's
        ("vantage", pa.string()),
        ("requester", pa.string()),
        ("requester_port", pa.int32()),
        ("responder", pa.string()),
        ("responder_port", pa.int32()),
        ("start_ns", pa.int64()),  # first byte of the request, or of the response where no request was seen
        ("end_ns", pa.int64()),  # last byte of the response, null when that was not seen
        ("wait_ms", pa.float64()),  # from the request's last byte to the response's first
        ("duration_ms", pa.float64()),  # from the request's first byte to the response's last
        *((name, pa.from_numpy_dtype(HTTP_DTYPE[name])) for name in ("status", "marks")),
        *(
            (f"{name}_frame", pa.int64())
            for name in ("request_first", "request_last", "response_first", "response_last")
        ),
        ("request_bytes", pa.int64()),
        ("response_bytes", pa.int64()),
        # What the responder did meanwhile; null where its own questions would not have been seen.
        *((f"{part}_ms", pa.float64()) for part in (*PARTS, "own")),
        *((f"{part}_count", pa.int32()) for part in PARTS),
        *((name, pa.string()) for name in TEXTS["http"]),
    ]
)
_KEYS = ("connection", "marks", "request_sequence", "response_sequence", "response_first_ns")
_NEAR_NS = 10_000_000_000
_PLAIN = ("status", "marks", "request_bytes", "response_bytes", *TEXTS["http"])
_TIMES = ("request_first_ns", "request_last_ns", "response_first_ns", "response_last_ns")
_FRAMES = ("request_first_frame", "request_last_frame", "response_first_frame", "response_last_frame")
_READ = ("connection", "vantage", "from_client", *_PLAIN, *_TIMES, *_FRAMES)


@dataclass(frozen=True)
class _Place:
    """By connection number of one capture: the logical connection, and how early on the way it was seen here."""

    cid: Ints
    rank: Ints


def request_batches(facts: Facts, paths: pa.Table) -> Iterator[pa.RecordBatch]:
    """All requests; columns are SCHEMA. `paths` is the connection table (path_table.SCHEMA).

    The order is that of captures and, within one, of messages; memory: five numbers a message and one batch."""
    captures = [capture for capture in facts.captures if capture.messages.http.rows]
    if not captures:
        return
    places = [_place_of(capture, paths) for capture in captures]
    chosen = np.split(_choose(captures, places), np.cumsum([c.messages.http.rows for c in captures])[:-1])
    rid = 0
    for capture, place, wanted in zip(captures, places, chosen, strict=True):
        begin, parts = 0, _parts_of_rows(facts, capture)
        for batch in capture.messages.http.batches(_READ):
            mask = wanted[begin : begin + batch.num_rows]
            own = parts[begin : begin + batch.num_rows][mask]
            begin += batch.num_rows
            made = _batch(
                batch.filter(pa.array(mask)), capture, place, paths, rid, _Dissected(facts.anatomy, own)
            )
            rid += made.num_rows
            yield made


@dataclass(frozen=True)
class _Dissected:
    """Rows of the anatomy, -1 for requests without one."""

    anatomy: Anatomy
    row: Ints

    def columns(self) -> dict[str, pa.Array]:
        """The columns about what the responder did meanwhile."""
        unknown, at = self.row < 0, np.maximum(self.row, 0)
        if not len(self.anatomy):
            nothing = pa.nulls(len(self.row), pa.float64())
            return dict.fromkeys(_PART_COLUMNS, nothing)
        taken = [*self.anatomy.part_ns, self.anatomy.own_ns]
        values = [ns[at] / 1e6 for ns in taken] + [count[at] for count in self.anatomy.part_count]
        return {name: pa.array(v, mask=unknown) for name, v in zip(_PART_COLUMNS, values, strict=True)}


_PART_COLUMNS = (*(f"{part}_ms" for part in (*PARTS, "own")), *(f"{part}_count" for part in PARTS))


def _parts_of_rows(facts: Facts, capture: Capture) -> Ints:
    """By row of the capture's messages: row of the anatomy, -1 without."""
    found = np.full(capture.messages.http.rows, -1, np.int64)
    anatomy, exchanges = facts.anatomy, facts.exchanges
    number = next(n for n, each in enumerate(facts.captures) if each is capture)
    mine = np.flatnonzero(anatomy.exchange >= 0)
    at = anatomy.exchange[mine]
    for row, of in ((exchanges.server_row, exchanges.server_capture), (exchanges.row, exchanges.capture)):
        here = of[at] == number
        found[row[at[here]]] = mine[here]
    return found


def _place_of(capture: Capture, paths: pa.Table) -> _Place:
    sightings = paths.column("sightings").combine_chunks()
    flat = sightings.flatten()
    of_path = pc.list_parent_indices(sightings).to_numpy()
    first = sightings.offsets.to_numpy()[of_path]
    here = pc.equal(flat.field("input"), capture.name).to_numpy(zero_copy_only=False)
    number = flat.field("connection").to_numpy()[here]
    place = _Place(*(np.full(len(capture.connections), -1, np.int64) for _ in range(2)))
    place.cid[number] = paths.column("cid").to_numpy()[of_path[here]]
    place.rank[number] = (np.arange(len(flat)) - first)[here]
    return place


def _choose(captures: list[Capture], places: list[_Place]) -> NDArray[np.bool_]:
    """Which rows of all captures, one after the other, to keep: of sightings of one request one with its response,
    of these the earliest on the way. Sequence numbers tell, for they pass every vantage point as they are."""
    parts = []
    for capture, place in zip(captures, places, strict=True):
        keys = capture.messages.http.read(_KEYS)
        connection, marks, asked, answered, time_ns = (
            keys.column(n).to_numpy().astype(np.int64) for n in _KEYS
        )
        parts.append(
            np.stack([place.cid[connection], asked, answered, marks, time_ns, place.rank[connection]])
        )
    cid, asked, answered, marks, time_ns, rank = np.concatenate(parts, axis=1)
    has_request, has_response = (marks & REQUEST_SEEN) != 0, (marks & RESPONSE_SEEN) != 0
    kept = has_request & _first_of((cid, asked), (~has_response, rank), has_request)
    paired = kept & has_response
    alone = ~has_request & ~_is_near(answered, time_ns, paired)
    chosen: NDArray[np.bool_] = kept | (alone & _first_of((cid, answered), (rank,), alone))
    return chosen


def _is_near(sequence: Ints, time_ns: Ints, among: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether one of the rows `among` has the same sequence number within 10 to 20 s: the same bytes, though half of
    a translated connection is not joined with the other half."""
    part = time_ns // _NEAR_NS
    near = np.zeros(len(sequence), np.bool_)
    for beside in (-1, 0, 1):
        near |= np.isin(
            sequence << 32 | ((part + beside) & 0xFFFFFFFF),
            sequence[among] << 32 | (part[among] & 0xFFFFFFFF),
        )
    return near


def _first_of(
    keys: Sequence[Ints], order: Sequence[NDArray[Any]], among: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """True for one of the rows of each key: the first by `order`; only rows `among` count."""
    rows = np.flatnonzero(among)
    by = np.lexsort([*(column[rows] for column in reversed(order)), *(key[rows] for key in reversed(keys))])
    new = np.zeros(len(by), np.bool_)
    new[:1] = True
    for key in keys:
        ordered = key[rows][by]
        new[1:] |= ordered[1:] != ordered[:-1]
    first = np.zeros(len(among), np.bool_)
    first[rows[by[new]]] = True
    return first


def _or_null(values: NDArray[Any], known: NDArray[np.bool_]) -> pa.Array:
    return pa.array(values, mask=~known)


def _batch(
    rows: pa.RecordBatch, capture: Capture, place: _Place, paths: pa.Table, rid: int, dissected: _Dissected
) -> pa.RecordBatch:
    column = {name: rows.column(name).to_numpy() for name in ("connection", "vantage", *_TIMES, *_FRAMES)}
    cid = place.cid[column["connection"].astype(np.int64)]
    asked, asked_last, began, ended = (column[name] for name in _TIMES)
    made = {
        "rid": pa.array(np.arange(rid, rid + len(cid))),
        "cid": pa.array(cid),
        "input": pa.array([capture.name] * len(cid), pa.string()),
        "vantage": pa.array([f"{capture.name}#{n}" for n in column["vantage"].tolist()], pa.string()),
        "start_ns": pa.array(np.where(asked == NEVER, began, asked)),
        "end_ns": _or_null(ended, ended != NEVER),
        "wait_ms": _or_null((began - asked_last) / 1e6, (asked_last != NEVER) & (began != NEVER)),
        "duration_ms": _or_null((ended - asked) / 1e6, (asked != NEVER) & (ended != NEVER)),
    }
    made |= dissected.columns()
    made |= _endpoints(paths, cid, pc.equal(rows.column("from_client"), 1))
    made |= {name: _or_null(column[name], column[name] != NEVER) for name in _FRAMES}
    made |= {name: rows.column(name) for name in _PLAIN}
    return pa.RecordBatch.from_arrays([made[field.name].cast(field.type) for field in SCHEMA], schema=SCHEMA)


def _endpoints(paths: pa.Table, cid: Ints, by_client: pa.Array) -> dict[str, pa.Array]:
    path = paths.select(["client", "client_port", "server", "server_port"]).take(pa.array(cid))
    ends = {name: path.column(name).combine_chunks() for name in path.column_names}
    return {
        "requester": pc.if_else(by_client, ends["client"], ends["server"]),
        "requester_port": pc.if_else(by_client, ends["client_port"], ends["server_port"]),
        "responder": pc.if_else(by_client, ends["server"], ends["client"]),
        "responder_port": pc.if_else(by_client, ends["server_port"], ends["client_port"]),
    }
