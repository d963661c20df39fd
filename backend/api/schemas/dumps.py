"""Kernel dumps as the API shows them; absolute times of series are decimal texts of epoch ns."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from backend.services.dump_series import SeriesList as SeriesRecords
from backend.services.list_dumps import ListedDump, TablePage


class _FromRecord(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class DumpColumn(_FromRecord):
    """A column and its unit, "" for a plain number or text."""

    name: str
    unit: str


class DumpTableHead(_FromRecord):
    """A table of a dump; its rows are asked for page by page."""

    name: str
    columns: list[DumpColumn]
    rows_total: int


class KernelDump(_FromRecord):
    """One dump; a text may hold several."""

    input: str
    number: int
    """0-based, in the order of the text."""
    kind: str
    host: str
    captured_at: str | None
    captured_at_basis: str
    lines: int
    lines_not_understood: int
    not_understood_at: list[int]
    """1-based numbers of the first of them."""
    warnings: list[str]
    tables: list[DumpTableHead]


class DumpList(BaseModel):
    """All of them."""

    items: list[KernelDump]

    @classmethod
    def of(cls, found: list[ListedDump]) -> DumpList:
        """The service's answer in the API's words."""
        return cls(items=[KernelDump.model_validate(each) for each in found])


class DumpRow(_FromRecord):
    """A row, its 1-based line, and that line as it was uploaded."""

    line: int
    text: str
    cells: list[str | int | float | bool | None]


class DumpTable(_FromRecord):
    """A page of a table."""

    columns: list[DumpColumn]
    items: list[DumpRow]
    total: int

    @classmethod
    def of(cls, page: TablePage) -> DumpTable:
        """The service's answer in the API's words."""
        return cls.model_validate(page)


class SeriesPoint(_FromRecord):
    """What one dump says."""

    input: str
    lines: list[int]
    time_ns: str | None
    value: int
    per_cpu: dict[str, int]
    """By CPU; empty for a value of the whole machine."""


class DumpSeries(BaseModel):
    """A counter or a gauge over the dumps that hold it."""

    kind: str
    host: str
    subject: str
    """What it is of: a service, a real server of one, "" for the machine."""
    name: str
    nature: Literal["counter", "gauge"]
    order: Literal["times", "counters"]
    rise: int | None
    """Of a counter, from the first dump to the last; null where dumps contradict each other."""
    rise_per_cpu: dict[str, int]
    points: list[SeriesPoint]
    """At most 400, evenly chosen; `points_total` counts all."""
    points_total: int


class SeriesList(BaseModel):
    """All series."""

    items: list[DumpSeries]
    contradictions: list[str]
    """A sentence for each two dumps between which a counter falls."""

    @classmethod
    def of(cls, found: SeriesRecords) -> SeriesList:
        """The service's answer in the API's words; times become texts, for JavaScript's numbers end at 2^53."""
        items = [
            DumpSeries.model_validate(
                {
                    **vars(series),
                    "rise_per_cpu": series.per_cpu,
                    "points": [
                        {**vars(p), "time_ns": None if p.time_ns is None else str(p.time_ns)}
                        for p in series.points
                    ],
                }
            )
            for series in found.items
        ]
        return cls(items=items, contradictions=list(found.contradictions))
