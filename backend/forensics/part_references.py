"""What the analysis says of a capture that was joined from rotated parts, in the files' own names and numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from backend.forensics.private_words import changed
from backend.forensics.report import EvidencePart, Report, TablePart
from backend.forensics.rewritten import Rewriter
from backend.forensics.rotation.joined_captures import PART_SHIFT, JoinedCaptures, Parts

Ints = NDArray[np.int64]

_FRAME_WORD = re.compile(r"#(\d{13,})")
"""A frame of a later part in a sentence: 2^40 has 13 digits."""


def in_own_files(report: Report, joined: JoinedCaptures) -> Report:
    """The report with each frame in its own file. Where several were joined, a sentence or a table's row without an
    input names the frame alone."""
    if not joined.parts:
        return report
    return _Rewriter(joined.parts).model(report)


@dataclass(frozen=True)
class _Rewriter(Rewriter):
    parts: dict[str, Parts]

    def value(self, value: Any) -> Any:
        if isinstance(value, TablePart):
            return self.table(value)
        if isinstance(value, str):
            return changed(value, lambda text: _FRAME_WORD.sub(self.word, text))
        return self.event(value) if isinstance(value, dict) else super().value(value)

    def evidence(self, part: EvidencePart) -> list[EvidencePart]:
        """One for each file that has a frame of it."""
        parts = self.parts.get(part.input)
        if parts is None or not part.frames:
            return [part]
        by_file: dict[str, list[int]] = {}
        for number in part.frames:
            name, frame = parts.frame(number)
            by_file.setdefault(name, []).append(frame)
        return [part.model_copy(update={"input": name, "frames": frames}) for name, frames in by_file.items()]

    def word(self, found: re.Match[str]) -> str:
        """A frame in a sentence; other numbers stay."""
        part = int(found[1]) >> PART_SHIFT
        if part >= max(len(parts.names) for parts in self.parts.values()):
            return found[0]
        return f"#{int(found[1]) & ((1 << PART_SHIFT) - 1)}"

    def event(self, event: dict[str, Any]) -> dict[str, Any]:
        """An event has one input: frames of another part than its first one's are left to the evidence."""
        made = {name: self.value(value) for name, value in event.items()}
        parts = self.parts.get(str(event.get("input")))
        if parts is not None and event.get("frames"):
            places = [parts.frame(number) for number in event["frames"]]
            made["input"] = places[0][0]
            made["frames"] = [frame for name, frame in places if name == places[0][0]]
        return made

    def table(self, table: TablePart) -> TablePart:
        """Frames are in columns of that name; an `input` column shows whose they are."""
        names = [column.name for column in table.columns]
        frames = [n for n, name in enumerate(names) if name.split(" ")[-1] == "frame"]
        if not frames:
            return table
        inputs = names.index("input") if "input" in names else None
        return table.model_copy(update={"rows": [self.row(row, frames, inputs) for row in table.rows]})

    def row(self, row: list[Any], frames: list[int], inputs: int | None) -> list[Any]:
        made = list(row)
        for at in frames:
            if isinstance(row[at], int):
                made[at] = row[at] & ((1 << PART_SHIFT) - 1)
        parts = None if inputs is None else self.parts.get(str(row[inputs]))
        if inputs is not None and parts is not None and isinstance(row[frames[0]], int):
            made[inputs] = parts.frame(row[frames[0]])[0]
        return made


def paths_in_own_files(paths: pa.Table, joined: JoinedCaptures) -> pa.Table:
    """The connection table (path_table.SCHEMA) with the connections of the files: a joined one is listed for each
    part that saw it."""
    import pyarrow.compute as pc  # functions that most captures need none of

    if not joined.parts or not paths.num_rows:
        return paths
    at = paths.schema.get_field_index("sightings")
    column = paths.column(at).combine_chunks()
    flat = column.flatten()
    of_path = pc.list_parent_indices(column).to_numpy()
    take, inputs, connections = _expanded(
        flat.field("input"), flat.field("connection").to_numpy().astype(np.int64), joined
    )
    made = pa.StructArray.from_arrays(
        [flat.field("vantage").take(pa.array(take)), inputs, pa.array(connections)], fields=list(flat.type)
    )
    sizes = np.bincount(of_path[take], minlength=paths.num_rows)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    return paths.set_column(at, paths.schema.field(at), pa.ListArray.from_arrays(pa.array(offsets), made))


def _expanded(inputs: pa.Array, connections: Ints, joined: JoinedCaptures) -> tuple[Ints, pa.Array, Ints]:
    """(row of the list, file, connection there) for each file's sighting, in the rows' order."""
    import pyarrow.compute as pc  # functions that most captures need none of

    names = sorted({name for parts in joined.parts.values() for name in parts.names})
    plain = np.ones(len(connections), np.bool_)
    pieces: list[tuple[Ints, Ints, Ints]] = []
    for name, parts in joined.parts.items():
        here = pc.equal(inputs, name).to_numpy(zero_copy_only=False)
        plain &= ~here
        rows = np.flatnonzero(here)
        row_of = np.full(len(parts.connections.table), -1, np.int64)
        row_of[connections[rows]] = rows
        offsets = np.array(parts.connections.offsets)
        part = np.repeat(np.arange(len(parts.names)), np.diff(offsets))
        own = np.arange(len(part)) - offsets[part]
        of = row_of[parts.connections.number]
        file = np.array([names.index(each) for each in parts.names], np.int64)[part]
        pieces.append((of[of >= 0], file[of >= 0], own[of >= 0]))
    rest = np.flatnonzero(plain)
    pieces.append((rest, np.full(len(rest), -1, np.int64), connections[rest]))
    take, file, own = (np.concatenate(each) for each in zip(*pieces, strict=True))
    order = np.argsort(take, kind="stable")
    take, file, own = take[order], file[order], own[order]
    named = pa.array(names).take(pa.array(file, mask=file < 0))
    return take, pc.coalesce(named, inputs.take(pa.array(take))), own


def batches_in_own_files(
    batches: Iterator[pa.RecordBatch], joined: JoinedCaptures
) -> Iterator[pa.RecordBatch]:
    """Rows of an `input` column and columns of its frames, named ``…_frame`` and in the order of time: with the file of
    the first frame that is known. Frames in other parts are null."""
    for batch in batches:
        yield _own_batch(batch, joined) if joined.parts and batch.num_rows else batch


def _own_batch(batch: pa.RecordBatch, joined: JoinedCaptures) -> pa.RecordBatch:
    import pyarrow.compute as pc  # functions that most captures need none of

    columns = {name: batch.column(name) for name in batch.schema.names}
    frames = {n: pc.fill_null(c, -1).to_numpy() for n, c in columns.items() if n.endswith("_frame")}
    first = np.full(batch.num_rows, -1, np.int64)
    for numbers in reversed(frames.values()):
        first = np.where(numbers >= 0, numbers, first)
    part = np.maximum(first, 0) >> PART_SHIFT
    for name, numbers in frames.items():
        known = (numbers >= 0) & (numbers >> PART_SHIFT == part)
        columns[name] = pa.array(numbers & ((1 << PART_SHIFT) - 1), pa.int64(), mask=~known)
    for name, parts in joined.parts.items():
        here = pc.equal(columns["input"], name)
        files = pa.array(parts.names).take(pa.array(np.minimum(part, len(parts.names) - 1)))
        columns["input"] = pc.if_else(here, files, columns["input"])
    return pa.RecordBatch.from_arrays(list(columns.values()), schema=batch.schema)
