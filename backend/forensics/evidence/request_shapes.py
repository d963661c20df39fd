"""Served requests by shape: what was asked for and whom the server asked meanwhile, and which part costs most."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from backend.forensics.addresses import endpoint_text
from backend.forensics.captures import Capture
from backend.forensics.evidence.anatomy import CALL, DNS, METADATA, PARTS, Anatomy
from backend.forensics.evidence.exchanges import Exchanges, read_rows
from backend.forensics.evidence.metadata_calls import kind_of
from backend.forensics.evidence.sightings import Ints

SHAPES_MOST = 100
_VARIABLE = re.compile(r"/(?:\d+|[0-9a-fA-F-]{8,}|[^/]{40,})(?=/|$)")


@dataclass(frozen=True)
class Callee:
    """Whom the server asked, and how often a request."""

    kind: str
    """One of PARTS."""
    name: str
    count: int


@dataclass(frozen=True)
class Shape:
    """Requests that ask for the same and make their server ask the same; numbers are rows of the anatomy."""

    request: str
    callees: tuple[Callee, ...]
    inferred: bool
    rows: Ints

    @property
    def examples(self) -> tuple[int, int, int]:
        """The fastest, one in the middle, the slowest: rows are in that order."""
        return int(self.rows[0]), int(self.rows[len(self.rows) // 2]), int(self.rows[-1])


def list_shapes(captures: Sequence[Capture], exchanges: Exchanges, anatomy: Anatomy) -> list[Shape]:
    """All shapes, that which took most time in sum first."""
    if not len(anatomy):
        return []
    names, name_of = _request_names(captures, exchanges, anatomy)
    callees, callee_of = _callee_names(captures, exchanges, anatomy)
    key = _shape_keys(anatomy, name_of, callee_of)
    number = np.unique(key, return_inverse=True)[1].reshape(-1)
    total = anatomy.total_ns
    order = np.lexsort((np.arange(len(total)), total, number))
    groups = np.split(order, np.flatnonzero(np.diff(number[order])) + 1)
    groups.sort(key=lambda rows: (-int(total[rows].sum()), int(rows.min())))
    by_request = np.argsort(anatomy.pairs[0], kind="stable")
    begin = np.searchsorted(anatomy.pairs[0][by_request], np.arange(len(anatomy) + 1))
    shapes = []
    for rows in groups:
        one = int(rows[len(rows) // 2])
        mine = callee_of[anatomy.pairs[1][by_request[begin[one] : begin[one + 1]]]]
        used, counts = np.unique(mine, return_counts=True)
        asked = tuple(
            Callee(callees[n][0], callees[n][1], c)
            for n, c in zip(used.tolist(), counts.tolist(), strict=True)
        )
        shapes.append(Shape(names[name_of[one]], asked, bool(anatomy.inferred[one]), rows))
    return shapes


def _shape_keys(anatomy: Anatomy, name_of: Ints, callee_of: Ints) -> NDArray[np.uint64]:
    """Equal for requests of one name with the same callees, each as often."""
    rng = np.random.default_rng(1)  # fixed: numbers that do not add up to one another by accident
    weights = rng.integers(1, 2**63, size=int(callee_of.max(initial=0)) + 2, dtype=np.uint64)
    key = name_of.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + anatomy.inferred
    np.add.at(key, anatomy.pairs[0], weights[callee_of[anatomy.pairs[1]]])
    return key


def template(line: str) -> str:
    """``GET /v1/users/17?q=*`` as ``GET /v1/users/*``."""
    return _VARIABLE.sub("/*", line.partition("?")[0])


def _lines(captures: Sequence[Capture], capture: Ints, row: Ints) -> list[str]:
    texts = read_rows(captures, capture, row, ("method", "path"))
    return [f"{m} {p}" for m, p in zip(texts["method"].to_pylist(), texts["path"].to_pylist(), strict=True)]


def _request_names(
    captures: Sequence[Capture], exchanges: Exchanges, anatomy: Anatomy
) -> tuple[list[str], Ints]:
    """(names, number of the name of each request)."""
    seen = anatomy.exchange >= 0
    at = anatomy.exchange[seen]
    lines = [
        template(line) for line in _lines(captures, exchanges.server_capture[at], exchanges.server_row[at])
    ]
    opaque = _endpoints(exchanges, anatomy.node[~seen])
    known = sorted(set(lines) | set(opaque))
    place = {name: n for n, name in enumerate(known)}
    number = np.zeros(len(anatomy), np.int64)
    number[seen] = [place[line] for line in lines]
    number[~seen] = [place[name] for name in opaque]
    return known, number


def _endpoints(exchanges: Exchanges, node: Ints) -> list[str]:
    """The server's end of connections."""
    table = exchanges.addresses
    number, port = table.server[node].tolist(), table.server_port[node].tolist()
    return [
        endpoint_text(int(table.high[n]), int(table.low[n]), p) for n, p in zip(number, port, strict=True)
    ]


def _callee_names(
    captures: Sequence[Capture], exchanges: Exchanges, anatomy: Anatomy
) -> tuple[list[tuple[str, str]], Ints]:
    """((kind, name) of each callee, number of the callee of each part; parts in no request have none)."""
    parts = anatomy.parts
    used = np.unique(anatomy.pairs[1])
    names: dict[int, tuple[str, str]] = dict.fromkeys(
        used[parts.kind[used] == DNS].tolist(), (PARTS[DNS], "DNS")
    )
    seen = used[parts.exchange[used] >= 0]
    at = parts.exchange[seen]
    lines = _lines(captures, exchanges.capture[at], exchanges.row[at])
    table = exchanges.addresses
    called = zip(seen.tolist(), at.tolist(), lines, strict=True)
    for part, row, line in called:
        if parts.kind[part] == METADATA:
            method, _, path = line.partition(" ")
            names[part] = PARTS[METADATA], kind_of(method, path)
        else:
            number = int(exchanges.called[row])
            end = endpoint_text(
                int(table.high[number]), int(table.low[number]), int(exchanges.called_port[row])
            )
            method, _, path = template(line).partition(" ")
            names[part] = PARTS[CALL], f"{method} {end}{path}"
    opaque = used[parts.node[used] >= 0]
    for part, end in zip(opaque.tolist(), _endpoints(exchanges, parts.node[opaque]), strict=True):
        names[part] = PARTS[CALL], f"{end} (inferred)"
    known = sorted(set(names.values()))
    place = {name: n for n, name in enumerate(known)}
    number_of = np.full(len(parts), -1, np.int64)
    number_of[list(names)] = [place[name] for name in names.values()]
    return known, number_of
