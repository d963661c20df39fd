"""The dumps of an investigation, and their tables page by page, each row with the line it was read from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from backend.errors import NotFound
from backend.forensics.findings import rfc3339
from backend.services.dump_columns import NAMES, SHAPES, large_table
from backend.services.dump_tables import Cell, DumpColumn, Row, tables_of
from backend.services.read_dumps import KeptDump, dumps_of, read_dumps
from backend.services.read_lines import read_numbered
from backend.services.read_progress import read_file
from backend.storage.packet_store import PacketQuery, open_packets
from backend.storage.store import Store
from backend.text_classes import DumpText, FileText, FixedText, MachineText, ProseText, TimeText

STRANGE_SHOWN: Final = 200
"""Numbers of lines nobody understood that are listed for a dump."""


@dataclass(frozen=True)
class DumpTableHead:
    """A table of a dump; its rows are read page by page."""

    name: FixedText
    columns: tuple[DumpColumn, ...]
    rows_total: int


@dataclass(frozen=True)
class KernelDump:
    """One dump; a text may hold several."""

    input: FileText
    number: int
    """0-based, in the order of the text."""
    kind: FixedText
    host: MachineText
    captured_at: TimeText | None
    captured_at_basis: FixedText
    lines: int
    lines_not_understood: int
    not_understood_at: tuple[int, ...]
    """1-based numbers of the first of them."""
    warnings: tuple[ProseText, ...]
    tables: tuple[DumpTableHead, ...]


@dataclass(frozen=True)
class DumpList:
    """All of them."""

    items: tuple[KernelDump, ...]


@dataclass(frozen=True)
class DumpRow:
    """A row, its 1-based line, and that line as it was uploaded."""

    line: int
    text: DumpText
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class DumpTablePage:
    """A page of a table."""

    columns: tuple[DumpColumn, ...]
    items: tuple[DumpRow, ...]
    total: int


def list_dumps(store: Store, investigation_id: str) -> DumpList:
    """All dumps with what is in each; raises NotFound."""
    dumps = read_dumps(store, investigation_id)
    if not dumps:
        return DumpList(())
    with open_packets(store.investigation_folder(investigation_id)) as query:
        return DumpList(tuple(_listed(query, kept) for kept in dumps))


def _listed(query: PacketQuery, kept: KeptDump) -> KernelDump:
    dump = kept.dump
    heads = [DumpTableHead(table.name, table.columns, len(table.rows)) for table in tables_of(dump)]
    for field, shape in SHAPES.items():
        if kept.table_path(field).is_file():
            total = large_table(query, kept.table_path(field), field, None, (0, 0))[1]
            heads.insert(0, DumpTableHead(NAMES[field], tuple(column for column, _ in shape.columns), total))
    time_ns = dump.captured_at_ns
    return KernelDump(
        input=kept.file.name,
        number=kept.number,
        kind=dump.kind,
        host=kept.host,
        captured_at=None if time_ns is None else rfc3339(time_ns),
        captured_at_basis=dump.captured_at_basis,
        lines=dump.lines,
        lines_not_understood=len(dump.lines_not_understood),
        not_understood_at=dump.lines_not_understood[:STRANGE_SHOWN],
        warnings=dump.warnings,
        tables=tuple(heads),
    )


def dump_table(
    store: Store,
    investigation_id: str,
    place: tuple[str, int, str],
    *,
    text: str | None,
    page: tuple[int, int],
) -> DumpTablePage:
    """A page (offset, limit) of the table at `place` (file, number of its dump, name); raises NotFound."""
    file_id, number, name = place
    file = read_file(store, investigation_id, file_id)
    dumps = dumps_of(store, file) if file.kind == "dump" else []
    if number >= len(dumps):
        raise NotFound(f"{file.name} has no dump {number}.")
    columns, rows, total = _rows(store, dumps[number], name, text, page)
    lines = read_numbered(store, file, {row.line for row in rows})
    items = tuple(DumpRow(row.line, lines.get(row.line, ""), row.cells) for row in rows)
    return DumpTablePage(columns, items, total)


def _rows(
    store: Store, kept: KeptDump, name: str, text: str | None, page: tuple[int, int]
) -> tuple[tuple[DumpColumn, ...], list[Row], int]:
    for field, shape in SHAPES.items():
        if NAMES[field] == name and kept.table_path(field).is_file():
            with open_packets(store.investigation_folder(kept.file.investigation_id)) as query:
                rows, total = large_table(query, kept.table_path(field), field, text, page)
            return tuple(column for column, _ in shape.columns), rows, total
    table = next((each for each in tables_of(kept.dump) if each.name == name), None)
    if table is None:
        raise NotFound(f"{kept.file.name} has no table `{name}`.")
    wanted = (text or "").strip().lower()
    found = [row for row in table.rows if not wanted or any(wanted in _words(cell) for cell in row.cells)]
    offset, limit = page
    return table.columns, found[offset : offset + limit], len(found)


def _words(cell: object) -> str:
    return "" if cell is None else str(cell).lower()
