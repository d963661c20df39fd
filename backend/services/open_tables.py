"""Opens what the charts and tables of one investigation are read from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path

from backend.errors import NotFound
from backend.forensics.report import Report
from backend.services.read_progress import list_files
from backend.services.read_report import read_report, report_path
from backend.services.scope import WHOLE, Scope
from backend.storage.capture_clock import COMMON, CaptureClock
from backend.storage.capture_tables import CaptureTables
from backend.storage.packet_store import PacketQuery, open_packets
from backend.storage.records import DECODED, EvidenceFile
from backend.storage.store import Store

NS_PER_S = 1_000_000_000


@dataclass(frozen=True)
class Tables:
    """The tables of an analyzed investigation, ready to be asked."""

    query: PacketQuery
    report: Report
    """With the findings and lanes that the scope shows."""
    whole_report: Report
    """For what is kept for all readers, and narrowed after that."""
    scope: Scope
    report_file: Path
    paths: str
    sightings: str
    """Path of the connection table."""
    requests: str
    """Path of the table of HTTP requests."""
    request_parts: str
    """Path of the table of what they asked of others."""
    round_trips: str
    """Path of the table of round trips."""
    captures: tuple[CaptureTables, ...]
    t0_ns: int
    """Earliest packet of all captures; times in charts count from here."""
    end_ns: int
    clocks: dict[str, CaptureClock]
    """By input; captures whose lanes show nothing else are on the report's clock."""

    def clock(self, input_name: str) -> CaptureClock:
        """The clock of one input."""
        return self.clocks.get(input_name, COMMON)

    @cached_property
    def _lane_of_part(self) -> dict[str, str]:
        return {part: lane.id for lane in self.report.lanes for part in lane.parts}

    def lane_of(self, input_name: str, vantage: int) -> str:
        """Id of the lane of a vantage point: rotated parts of one capture have one."""
        own = f"{input_name}#{vantage}"
        return self._lane_of_part.get(own, own)

    def absolute(
        self, from_ns: int | None, to_ns: int | None, t0_ns: int | None = None
    ) -> tuple[int | None, int | None]:
        """What the scope shows of a window after t0, in ns since 1970."""
        t0_ns = self.t0_ns if t0_ns is None else t0_ns
        begin_ns, end_ns = self.scope.window(from_ns, to_ns)
        return None if begin_ns is None else begin_ns + t0_ns, None if end_ns is None else end_ns + t0_ns

    def capture(self, input_name: str) -> CaptureTables | None:
        """The tables of one input."""
        return next((capture for capture in self.captures if capture.input == input_name), None)


@contextmanager
def open_tables(store: Store, investigation_id: str, scope: Scope = WHOLE) -> Iterator[Tables]:
    """The tables of an investigation; raises NotFound before there is a report."""
    report_file = report_path(store, investigation_id)
    report = read_report(store, investigation_id)
    clocks = clocks_of(report)
    captures = tuple(
        replace(capture_tables(store, file), clock=clocks.get(file.name, COMMON))
        for file in list_files(store, investigation_id)
        if file.status == DECODED and file.kind == "capture"
    )
    begin_ns, end_ns = span_of(report)
    with open_packets(store.investigation_folder(investigation_id)) as query:
        yield Tables(
            query=query,
            report=scope.tables_part(report),
            whole_report=report,
            scope=scope,
            report_file=report_file,
            paths=str(store.analysis_folder(investigation_id) / "paths.parquet"),
            sightings=str(store.analysis_folder(investigation_id) / "sightings.parquet"),
            requests=str(store.analysis_folder(investigation_id) / "requests.parquet"),
            request_parts=str(store.analysis_folder(investigation_id) / "request_parts.parquet"),
            round_trips=str(store.analysis_folder(investigation_id) / "rtt.parquet"),
            captures=captures,
            t0_ns=begin_ns,
            end_ns=end_ns,
            clocks=clocks,
        )


def clocks_of(report: Report) -> dict[str, CaptureClock]:
    """Of every capture with a lane: a lane's span is the file's, on the report's clock."""
    inputs = {part.name: part for part in report.inputs if part.packets and part.first and part.last}
    clocks: dict[str, CaptureClock] = {}
    for lane in report.lanes:
        names = [each.rpartition("#")[0] for each in (lane.id, *lane.parts)]
        spans = [(p.first, p.last) for name in names if (p := inputs.get(name)) and p.first and p.last]
        if len(spans) < len(names) or not (lane.first and lane.last):
            continue
        first = min(epoch_ns(begin) for begin, _ in spans)
        last = max(epoch_ns(end) for _, end in spans)
        ahead = (first - epoch_ns(lane.first), last - epoch_ns(lane.last))
        clocks |= dict.fromkeys(names, CaptureClock(first, last, *ahead))
    return clocks


def span_of(report: Report) -> tuple[int, int]:
    """First and last packet of all captures; without packets, of whatever else has a time."""
    clocks = clocks_of(report)
    packets = [
        (clock.common(epoch_ns(part.first)), clock.common(epoch_ns(part.last)))
        for part in report.inputs
        if part.packets and part.first and part.last
        for clock in [clocks.get(part.name, COMMON)]
    ]
    if packets:
        return min(first for first, _ in packets), max(last for _, last in packets)
    spans = [(lane.first, lane.last) for lane in report.lanes]
    spans += [(mark.start, mark.end or mark.start) for found in report.findings for mark in found.marks]
    begins = [epoch_ns(first) for first, _ in spans if first is not None]
    ends = [epoch_ns(last) for _, last in spans if last is not None]
    return min(begins, default=0), max(ends, default=0)


def capture_tables(store: Store, file: EvidenceFile) -> CaptureTables:
    """Where the tables of a decoded capture are; raises NotFound when there are none."""
    folder = store.file_folder(file.investigation_id, file.id)
    if not (folder / "packets.parquet").is_file():
        raise NotFound(f"{file.name} has no packet table (yet).")
    return CaptureTables(file.name, folder)


def epoch_ns(text: str) -> int:
    """``2026-11-21T01:11:43.486947163Z`` as ns since 1970; datetime would lose the last three digits."""
    seconds, _, fraction = text.removesuffix("Z").partition(".")
    whole = int(datetime.fromisoformat(f"{seconds}+00:00").timestamp())
    return whole * NS_PER_S + int(fraction.ljust(9, "0")[:9] or 0)
