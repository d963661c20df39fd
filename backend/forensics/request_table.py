"""The table of HTTP requests that people read: one row a request, however many vantage points saw it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from backend.forensics.captures import Capture
from backend.forensics.connections import NEVER
from backend.forensics.evidence.clocks.sorted_rows import lexsort
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.requests.latency_breakdown import PARTS, capture_of
from backend.forensics.evidence.requests.request_shapes import template
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
        ("at_ns", pa.int64()),  # `start_ns` on the clock that all times of the report are on
        ("start_ns", pa.int64()),  # first byte of the request, or of the response where no request was seen
        ("end_ns", pa.int64()),  # last byte of the response, null when that was not seen
        ("asking_ms", pa.float64()),  # from the request's first byte to its last
        ("wait_ms", pa.float64()),  # from the request's last byte to the response's first
        ("duration_ms", pa.float64()),  # from the request's first byte to the response's last
        *((name, pa.from_numpy_dtype(HTTP_DTYPE[name])) for name in ("status", "marks")),
        *(
            (f"{name}_frame", pa.int64())
            for name in ("request_first", "request_last", "response_first", "response_last")
        ),
        ("request_bytes", pa.int64()),
        ("response_bytes", pa.int64()),
        ("line", pa.string()),  # ``GET /v1/users/*``: method and path without what differs from call to call
        ("basis", pa.string()),  # inferred: payload could not be read, its bounds are those of the data
        # What the responder did meanwhile; null where its own questions would not have been seen.
        ("served", pa.int64()),  # row of the breakdown, which the table of parts refers to
        ("shape", pa.int32()),  # number of the shape, the costliest first
        ("served_ms", pa.float64()),  # the whole at the responder's side; the parts and `own_ms` add up to it
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

    The order is that of captures and, within one, of messages; inferred ones come last. Memory: five numbers a message
    and one batch."""
    rid, shape_of = 0, _shape_numbers(facts)
    for made in _read_batches(facts, paths, shape_of):
        numbered = made.set_column(0, SCHEMA.field("rid"), pa.array(np.arange(rid, rid + made.num_rows)))
        rid += made.num_rows
        yield numbered
    for number, capture in enumerate(facts.captures):
        rows = _inferred_rows(facts, number)
        for begin in range(0, len(rows), _INFERRED_ROWS):
            part = rows[begin : begin + _INFERRED_ROWS]
            yield _inferred_batch(facts, capture, paths, _Dissected(facts, part, shape_of), rid + begin)
        rid += len(rows)


def _shape_numbers(facts: Facts) -> Ints:
    """By row of the breakdown: the number of its shape."""
    number = np.full(len(facts.breakdown), -1, np.int64)
    for shape_number, shape in enumerate(facts.request_shapes):
        number[shape.rows] = shape_number
    return number


def _read_batches(facts: Facts, paths: pa.Table, shape_of: Ints) -> Iterator[pa.RecordBatch]:
    """The requests whose payload was read."""
    captures = [capture for capture in facts.captures if capture.messages.http.rows]
    if not captures:
        return
    places = [_place_of(capture, paths) for capture in captures]
    chosen = np.split(_choose(captures, places), np.cumsum([c.messages.http.rows for c in captures])[:-1])
    for capture, place, wanted in zip(captures, places, chosen, strict=True):
        begin, parts = 0, _parts_of_rows(facts, capture)
        for batch in capture.messages.http.batches(_READ):
            mask = wanted[begin : begin + batch.num_rows]
            own = parts[begin : begin + batch.num_rows][mask]
            begin += batch.num_rows
            dissected = _Dissected(facts, own, shape_of)
            yield _batch(batch.filter(pa.array(mask)), capture, place, paths, dissected)


@dataclass(frozen=True)
class _Dissected:
    """Rows of the breakdown, -1 for requests without one."""

    facts: Facts
    row: Ints
    shape_of: Ints

    def on_report_clock(self, capture: Capture, time_ns: Ints) -> Ints:
        """Times of the capture on the clock that all times of the report are on."""
        number = next(n for n, each in enumerate(self.facts.captures) if each is capture)
        return self.facts.attempts.sightings.clocks.on_reference(number, time_ns)

    def columns(self) -> dict[str, pa.Array]:
        """The columns about what the responder did meanwhile."""
        unknown, at, breakdown = self.row < 0, np.maximum(self.row, 0), self.facts.breakdown
        if not len(breakdown):
            nothing = pa.nulls(len(self.row), pa.float64())
            return dict.fromkeys(_PART_COLUMNS, nothing)
        taken = [breakdown.total_ns, *breakdown.part_ns, breakdown.own_ns]
        values = [at, self.shape_of[at], *(ns[at] / 1e6 for ns in taken)]
        values += [count[at] for count in breakdown.part_count]
        return {name: pa.array(v, mask=unknown) for name, v in zip(_PART_COLUMNS, values, strict=True)}


_PART_COLUMNS = (
    *("served", "shape", "served_ms"),
    *(f"{part}_ms" for part in (*PARTS, "own")),
    *(f"{part}_count" for part in PARTS),
)


def _parts_of_rows(facts: Facts, capture: Capture) -> Ints:
    """By row of the capture's messages: row of the breakdown, -1 without."""
    found = np.full(capture.messages.http.rows, -1, np.int64)
    breakdown, exchanges = facts.breakdown, facts.exchanges
    number = next(n for n, each in enumerate(facts.captures) if each is capture)
    mine = np.flatnonzero(breakdown.exchange >= 0)
    at = breakdown.exchange[mine]
    for row, of in ((exchanges.server_row, exchanges.server_capture), (exchanges.row, exchanges.capture)):
        here = of[at] == number
        found[row[at[here]]] = mine[here]
    return found


def _place_of(capture: Capture, paths: pa.Table) -> _Place:
    import pyarrow.compute as pc  # functions that most captures need none of

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
    of these the earliest on the way. Sequence numbers show, for they pass every vantage point as they are."""
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
    by = lexsort([*(column[rows] for column in reversed(order)), *(key[rows] for key in reversed(keys))])
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
    rows: pa.RecordBatch, capture: Capture, place: _Place, paths: pa.Table, dissected: _Dissected
) -> pa.RecordBatch:
    import pyarrow.compute as pc  # functions that most captures need none of

    column = {name: rows.column(name).to_numpy() for name in ("connection", "vantage", *_TIMES, *_FRAMES)}
    cid = place.cid[column["connection"].astype(np.int64)]
    asked, asked_last, began, ended = (column[name] for name in _TIMES)
    start_ns = np.where(asked == NEVER, began, asked)
    made = {
        "rid": pa.nulls(len(cid), pa.int64()),
        "cid": pa.array(cid),
        "input": pa.array([capture.name] * len(cid), pa.string()),
        "vantage": pa.array([f"{capture.name}#{n}" for n in column["vantage"].tolist()], pa.string()),
        "line": _templates(rows.column("method"), rows.column("path")),
        "basis": pa.array(["seen"] * len(cid), pa.string()),
        "at_ns": pa.array(dissected.on_report_clock(capture, start_ns)),
        "start_ns": pa.array(start_ns),
        "end_ns": _or_null(ended, ended != NEVER),
        "asking_ms": _or_null((asked_last - asked) / 1e6, (asked != NEVER) & (asked_last != NEVER)),
        "wait_ms": _or_null((began - asked_last) / 1e6, (asked_last != NEVER) & (began != NEVER)),
        "duration_ms": _or_null((ended - asked) / 1e6, (asked != NEVER) & (ended != NEVER)),
    }
    made |= dissected.columns()
    made |= _endpoints(paths, cid, pc.equal(rows.column("from_client"), 1))
    made |= {name: _or_null(column[name], column[name] != NEVER) for name in _FRAMES}
    made |= {name: rows.column(name) for name in _PLAIN}
    return pa.RecordBatch.from_arrays([made[field.name].cast(field.type) for field in SCHEMA], schema=SCHEMA)


def _templates(method: pa.Array, path: pa.Array) -> pa.Array:
    import pyarrow.compute as pc  # functions that most captures need none of

    encoded = pc.binary_join_element_wise(method, path, " ").dictionary_encode()
    lines = pa.array([template(line) for line in encoded.dictionary.to_pylist()], pa.string())
    return lines.take(encoded.indices)


_INFERRED_ROWS = 1 << 16


def _inferred_rows(facts: Facts, capture: int) -> Ints:
    """Rows of the breakdown of requests that were recognized by their data alone, of one capture."""
    breakdown = facts.breakdown
    inferred = np.flatnonzero(breakdown.inferred)
    mine: Ints = inferred[capture_of(breakdown.node[inferred], facts.attempts.sightings) == capture]
    return mine


def _inferred_batch(
    facts: Facts, capture: Capture, paths: pa.Table, dissected: _Dissected, rid: int
) -> pa.RecordBatch:
    """Requests whose payload could not be read (TLS): ends, times and parts, and nothing of what was asked."""
    breakdown, row, sightings = facts.breakdown, dissected.row, facts.attempts.sightings
    number = next(n for n, each in enumerate(facts.captures) if each is capture)
    connection = breakdown.node[row] - sightings.node_offset[number]
    cid = _place_of(capture, paths).cid[connection]
    start_ns, total_ns = sightings.clocks.own_times(number, breakdown.start_ns[row]), breakdown.total_ns[row]
    vantage = capture.connections["vantage"][connection]
    made = {
        "rid": pa.array(np.arange(rid, rid + len(row))),
        "cid": pa.array(cid),
        "input": pa.array([capture.name] * len(row), pa.string()),
        "vantage": pa.array([f"{capture.name}#{n}" for n in vantage.tolist()], pa.string()),
        "at_ns": pa.array(breakdown.start_ns[row]),
        "start_ns": pa.array(start_ns),
        "end_ns": pa.array(start_ns + total_ns),
        "duration_ms": pa.array(total_ns / 1e6),
        "line": pa.array([""] * len(row), pa.string()),
        "basis": pa.array(["inferred"] * len(row), pa.string()),
        "request_first_frame": pa.array(breakdown.frame[row]),
        **{name: pa.array([""] * len(row), pa.string()) for name in TEXTS["http"]},
        **{name: pa.array(np.zeros(len(row), np.int64)) for name in _ZERO_IF_UNREAD},
    }
    made |= dissected.columns()
    made |= _endpoints(paths, cid, pa.array(np.ones(len(row), np.bool_)))
    arrays = [
        made[field.name].cast(field.type) if field.name in made else pa.nulls(len(row), field.type)
        for field in SCHEMA
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


_ZERO_IF_UNREAD = ("status", "marks", "request_bytes", "response_bytes")


def _endpoints(paths: pa.Table, cid: Ints, by_client: pa.Array) -> dict[str, pa.Array]:
    import pyarrow.compute as pc  # functions that most captures need none of

    path = paths.select(["client", "client_port", "server", "server_port"]).take(pa.array(cid))
    ends = {name: path.column(name).combine_chunks() for name in path.column_names}
    return {
        "requester": pc.if_else(by_client, ends["client"], ends["server"]),
        "requester_port": pc.if_else(by_client, ends["client_port"], ends["server_port"]),
        "responder": pc.if_else(by_client, ends["server"], ends["client"]),
        "responder_port": pc.if_else(by_client, ends["server_port"], ends["client_port"]),
    }
