"""Everything of one analysis that the API asks, as tables in the analysis's folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import pyarrow as pa

from backend.forensics.evidence.facts import Facts
from backend.forensics.isolation import REPORT, Isolation
from backend.forensics.part_references import batches_in_own_files, paths_in_own_files
from backend.forensics.path_table import SCHEMA as PATH_TABLE
from backend.forensics.path_table import path_table
from backend.forensics.report import FindingPart
from backend.forensics.request_parts import part_batches
from backend.forensics.request_table import request_batches
from backend.forensics.rotation.joined_captures import JoinedCaptures
from backend.forensics.round_trip_table import round_trip_batches
from backend.storage import write_tables

TABLES: Final = ("connections-table", "requests-table", "request-parts-table", "round-trips-table")
"""After ``report:`` in `CheckedPart.kind`, where one could not be made."""
_Write = Callable[[Iterable[pa.RecordBatch], Path], None]
_Make = Callable[[], Iterator[pa.RecordBatch]]


def write_analysis_tables(
    facts: Facts,
    findings: Sequence[FindingPart],
    joined: JoinedCaptures,
    folder: Path,
    isolation: Isolation,
) -> None:
    """The tables of connections, requests, their parts, and round trips. One whose making breaks is empty, and
    `isolation` says so; raises OSError where it cannot be written."""
    paths = isolation.run(REPORT + TABLES[0], lambda: path_table(facts, findings), PATH_TABLE.empty_table())
    write_tables.write_paths(paths_in_own_files(paths, joined), folder)
    tables: tuple[tuple[str, _Write, _Make], ...] = (
        (TABLES[1], write_tables.write_requests, lambda: request_batches(facts, paths)),
        (TABLES[2], write_tables.write_request_parts, lambda: part_batches(facts)),
        (TABLES[3], write_tables.write_round_trips, lambda: round_trip_batches(facts, findings)),
    )
    for name, write, batches in tables:
        written = isolation.run(REPORT + name, partial(_write, write, batches, joined, folder), None)
        if isinstance(written, OSError):
            raise written
        if written is None:
            write((), folder)


def _write(write: _Write, batches: _Make, joined: JoinedCaptures, folder: Path) -> OSError | bool:
    """A full disk is no mistake of the table: the error is handed on."""
    try:
        write(batches_in_own_files(batches(), joined), folder)
    except OSError as error:
        return error
    return True
