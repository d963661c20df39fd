"""All DNS messages of all captures as one array, each with the side of its socket that asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from backend.forensics.captures import Capture
from backend.forensics.evidence.clocks.sightings import Ints, Place, list_places
from backend.forensics.evidence.clocks.sorted_rows import following, taken_records
from backend.forensics.packets import NO_CONNECTION

DNS_PORT = 53
_ANSWER, _TRUNCATED, _RECURSION_DESIRED, _OPCODE, _RCODE = 0x8000, 0x0200, 0x0100, 0x7800, 0x000F
_TRANSFERS = (251, 252)
"""IXFR and AXFR: copies of a zone between servers (RFC 1995, RFC 5936), nothing that an application waits for."""

MESSAGE_DTYPE = np.dtype(
    [
        ("time_ns", "<i8"),
        ("frame", "<i8"),
        ("node", "<i4"),  # row of the connection tables, numbered over all captures
        ("name", "<i4"),  # index into `DnsMessages.names`
        ("place", "<i4"),
        ("id", "<u2"),
        ("type", "<u2"),
        ("answers", "<u2"),
        ("questions", "<u2"),
        ("rcode", "u1"),
        ("answer", "u1"),
        ("truncated", "u1"),
        ("over_tcp", "u1"),
    ]
)
_READ = (
    "time_ns", "frame", "connection", "vantage", "id", "header", "type", "questions", "answers", "rcode", "over_tcp",
)  # fmt: skip


@dataclass(frozen=True)
class Sockets:
    """Both ends of every node, by node: the asking one is the client, whoever was seen first."""

    client_high: NDArray[np.uint64]
    client_low: NDArray[np.uint64]
    client_port: NDArray[np.uint16]
    server_high: NDArray[np.uint64]
    server_low: NDArray[np.uint64]
    server_port: NDArray[np.uint16]


@dataclass(frozen=True)
class DnsMessages:
    """`rows` are MESSAGE_DTYPE in the order of captures. `iterative`: messages left out because they do not ask for
    recursion: one name server asks another."""

    places: tuple[Place, ...]
    rows: NDArray[np.void]
    names: tuple[str, ...]
    sockets: Sockets
    iterative: int
    decoded_answers: Ints
    """By row of all connection tables: answers of any kind that were decoded."""


def load_messages(captures: Sequence[Capture]) -> DnsMessages:
    """Queries that ask for recursion (RFC 1035 section 4.1.1) and all answers. Memory: 42 bytes a message."""
    places = list_places(captures)
    first_place = np.cumsum([0, *(len(c.vantage_points) for c in captures)])
    first_node = np.cumsum([0, *(len(c.connections) for c in captures)])
    answers: Ints = np.zeros(int(first_node[-1]), np.int64)
    rows: NDArray[np.void] = np.zeros(sum(c.messages.dns.rows for c in captures), MESSAGE_DTYPE)
    names: list[pa.DictionaryArray] = []
    filled = iterative = 0
    for number, capture in enumerate(captures):
        # In parts: all columns of ten million messages at once take more memory than the rows.
        for batch in capture.messages.dns.batches((*_READ, "name")) if capture.messages.dns.rows else ():
            part, keep, without = _rows_of(batch, int(first_place[number]), int(first_node[number]))
            iterative += without
            _count_answers(answers, part, batch.column("connection").to_numpy())
            name, whole = batch.column("name"), bool(keep.all())
            part = part if whole else taken_records(part, np.flatnonzero(keep))
            names.append((name if whole else name.filter(pa.array(keep))).fill_null("").dictionary_encode())
            rows[filled : filled + len(part)] = part
            filled += len(part)
    rows = rows[:filled]
    listed: tuple[str, ...] = ()
    if filled:
        coded = pa.chunked_array(names).unify_dictionaries()
        rows["name"] = np.concatenate([chunk.indices.to_numpy() for chunk in coded.chunks])
        listed = tuple(coded.chunk(0).dictionary.to_pylist())
        _put_questions(rows)
    return DnsMessages(places, rows, listed, _sockets(captures, rows), iterative, answers)


def _count_answers(answers: Ints, rows: NDArray[np.void], connection: NDArray[np.uint32]) -> None:
    own = rows["node"][(rows["answer"] == 1) & (connection != NO_CONNECTION)]
    np.add.at(answers, own, 1)


def _put_questions(rows: NDArray[np.void]) -> None:
    """An answer that repeats no question (an error in the query, RFC 1035 section 4.1.1) answers the last query of its
    socket and id."""
    without = np.flatnonzero((rows["answer"] == 1) & (rows["questions"] == 0))
    if not len(without):
        return
    asked = np.flatnonzero(rows["answer"] == 0)
    socket = rows["node"].astype(np.int64) << 16 | rows["id"]
    time_ns = rows["time_ns"].astype(np.int64)
    at = following((socket[without], -time_ns[without]), (socket[asked], -time_ns[asked]))
    known = at >= 0
    for name in ("name", "type"):
        rows[name][without[known]] = rows[name][asked[at[known]]]


def _rows_of(table: pa.RecordBatch, place: int, node: int) -> tuple[NDArray[np.void], NDArray[np.bool_], int]:
    """(all rows, which of them count, queries left out)."""
    column = {name: table.column(name).to_numpy(zero_copy_only=False) for name in _READ}
    header = column["header"]
    rows = np.zeros(len(header), MESSAGE_DTYPE)
    for name in ("time_ns", "frame", "id", "type", "answers", "questions", "rcode", "over_tcp"):
        rows[name] = column[name]
    rows["node"] = node + column["connection"].astype(np.int64)
    rows["place"] = place + column["vantage"].astype(np.int64)
    rows["answer"] = (header & _ANSWER) != 0
    rows["truncated"] = (header & _TRUNCATED) != 0
    whole = (column["connection"] != NO_CONNECTION) & ((header & _OPCODE) == 0)
    whole &= ((column["questions"] > 0) | (rows["answer"] == 1)) & ~np.isin(column["type"], _TRANSFERS)
    recursive = (header & _RECURSION_DESIRED) != 0
    iterative = whole & ~recursive & (rows["answer"] == 0)
    return rows, whole & ~iterative, int(np.count_nonzero(iterative))


def _sockets(captures: Sequence[Capture], rows: NDArray[np.void]) -> Sockets:
    parts = [c.connections for c in captures]
    asked: Ints = np.full(sum(len(p) for p in parts), -1, np.int8)
    # Of each node the first message decides: who sent it was taken for the client by the decoder.
    asked[rows["node"][::-1]] = rows["answer"][::-1]
    ends = {}
    for name in ("high", "low", "port"):
        client = np.concatenate([p[f"client_{name}"] for p in parts]) if parts else np.zeros(0, np.uint64)
        server = np.concatenate([p[f"server_{name}"] for p in parts]) if parts else np.zeros(0, np.uint64)
        ends[name] = client, server
    from_server = (ends["port"][0] == DNS_PORT) & (ends["port"][1] != DNS_PORT)
    by_answer = (asked == 1) & ~((ends["port"][1] == DNS_PORT) & (ends["port"][0] != DNS_PORT))
    swap = from_server | by_answer
    sides = [
        np.where(swap, ends[name][1 - side], ends[name][side])
        for side in (0, 1)
        for name in ("high", "low", "port")
    ]
    return Sockets(*sides)
