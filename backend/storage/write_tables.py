"""Writes the tables that the API asks, in the form in which questions to them are quick."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from backend.forensics.request_parts import SCHEMA as REQUEST_PART_TABLE
from backend.forensics.request_table import SCHEMA as REQUEST_TABLE
from backend.forensics.round_trip_table import SCHEMA as ROUND_TRIP_TABLE

TYPED_TEXTS: Final = "typed_texts.json"
"""Beside a report: the parts of its texts that somebody's own words are in."""
BATCH_ROWS: Final = 1 << 16
COARSE_NS: Final = (10_000_000, 100_000_000, 1_000_000_000, 10_000_000_000)
"""Widths of the summed time buckets, each a multiple of the one before."""
GROUP_ROWS: Final = 1 << 14
"""Rows per row group of tables that are asked for few rows: a question decodes whole groups."""
LONG_GROUP_ROWS: Final = 1 << 16
"""The same of tables with millions of rows, whose every group is opened when they are put in order."""


def write_rows(rows: NDArray[np.void], path: Path) -> None:
    """Records as columns, in batches: a table of a million rows is not to be in memory twice."""
    import pyarrow.parquet as pq

    names = rows.dtype.names or ()
    schema = pa.schema([(name, pa.from_numpy_dtype(rows.dtype[name])) for name in names])
    with pq.ParquetWriter(path, schema, **_quick(schema)) as writer:
        for begin in range(0, max(len(rows), 1), BATCH_ROWS):
            batch = rows[begin : begin + BATCH_ROWS]
            columns = [pa.array(np.ascontiguousarray(batch[name])) for name in names]
            writer.write_table(pa.table(columns, schema=schema), row_group_size=GROUP_ROWS)


def write_buckets(buckets: NDArray[np.void], folder: Path) -> None:
    """``buckets.parquet``: the time buckets (BUCKET_DTYPE, sorted by vantage and start), and
    ``coarse.parquet``: their sums over wider ones, sorted by width, for windows that hold too many."""
    _write_groups(_table(buckets), folder / "buckets.parquet")
    levels = []
    for width_ns in COARSE_NS:
        buckets = _widened(buckets, width_ns)
        levels.append(_table(buckets).add_column(0, "width_ns", pa.array(np.full(len(buckets), width_ns))))
    _write_groups(pa.concat_tables(levels), folder / "coarse.parquet")


def write_paths(paths: pa.Table, folder: Path) -> None:
    """``paths.parquet``: the connections over all vantage points, and ``sightings.parquet``: the same, found
    from their number in a capture's own table."""
    import pyarrow.compute as pc  # functions that most captures need none of

    _write_groups(paths, folder / "paths.parquet")
    seen = paths.column("sightings").combine_chunks()
    places = pc.list_flatten(seen)
    sightings = pa.table(
        {
            "input": pc.struct_field(places, "input"),
            "connection": pc.struct_field(places, "connection"),
            "cid": paths.column("cid").combine_chunks().take(pc.list_parent_indices(seen)),
        }
    )
    ordered = sightings.sort_by([("input", "ascending"), ("connection", "ascending"), ("cid", "ascending")])
    _write_groups(ordered, folder / "sightings.parquet")


def write_requests(batches: Iterable[pa.RecordBatch], folder: Path) -> None:
    """``requests.parquet``: the HTTP requests over all vantage points."""
    import pyarrow.parquet as pq

    with pq.ParquetWriter(folder / "requests.parquet", REQUEST_TABLE, **_quick(REQUEST_TABLE)) as writer:
        for batch in batches:
            writer.write_batch(batch, row_group_size=GROUP_ROWS)


def write_request_parts(batches: Iterable[pa.RecordBatch], folder: Path) -> None:
    """``request_parts.parquet``: what served requests asked of others, by request."""
    import pyarrow.parquet as pq

    file, schema = folder / "request_parts.parquet", REQUEST_PART_TABLE
    with pq.ParquetWriter(file, schema, **_quick(schema)) as writer:
        for batch in batches:
            writer.write_batch(batch, row_group_size=GROUP_ROWS)


def write_round_trips(batches: Iterable[pa.RecordBatch], folder: Path) -> None:
    """``rtt.parquet``: the round trips over all vantage points, by time of sending."""
    import pyarrow.parquet as pq

    with pq.ParquetWriter(folder / "rtt.parquet", ROUND_TRIP_TABLE, **_quick(ROUND_TRIP_TABLE)) as writer:
        for batch in batches:
            writer.write_batch(batch, row_group_size=LONG_GROUP_ROWS)


def _write_groups(table: pa.Table, path: Path) -> None:
    import pyarrow.parquet as pq

    pq.write_table(table, path, row_group_size=GROUP_ROWS, **_quick(table.schema))


def _quick(schema: pa.Schema) -> dict[str, Any]:
    """How columns are written so that putting a table in order reads them quickly: numbers that seldom repeat cost
    much as dictionaries, and in split bytes they are smaller than with zstd."""
    words = [path for field in schema for path in _word_paths(field.name, field.type)]
    numbers = [f.name for f in schema if pa.types.is_integer(f.type) or pa.types.is_floating(f.type)]
    return {"compression": "lz4", "use_dictionary": words or False, "use_byte_stream_split": numbers or False}


def _word_paths(path: str, kind: pa.DataType) -> list[str]:
    """The columns of text in a column, as Parquet names them."""
    if pa.types.is_list(kind):
        return _word_paths(f"{path}.list.element", kind.value_type)
    if pa.types.is_struct(kind):
        return [found for child in kind for found in _word_paths(f"{path}.{child.name}", child.type)]
    return [path] if pa.types.is_string(kind) else []


def _table(rows: NDArray[np.void]) -> pa.Table:
    return pa.table({name: pa.array(np.ascontiguousarray(rows[name])) for name in rows.dtype.names or ()})


def _widened(buckets: NDArray[np.void], width_ns: int) -> NDArray[np.void]:
    """Buckets of that width, which is a multiple of the present one."""
    if len(buckets) == 0:
        return buckets
    start_ns = buckets["start_ns"] // width_ns * width_ns
    new = np.ones(len(buckets), bool)
    new[1:] = (start_ns[1:] != start_ns[:-1]) | (buckets["vantage"][1:] != buckets["vantage"][:-1])
    starts = np.flatnonzero(new)
    wide: NDArray[np.void] = buckets[starts]
    wide["start_ns"] = start_ns[starts]
    for name in ("packets", "bytes", "syns"):
        wide[name] = np.add.reduceat(buckets[name], starts)
    return wide
