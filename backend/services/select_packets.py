"""The packets that a filter, a finding or an instance of a finding selects, as frames of their files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from backend.errors import InvalidRequest, NotFound
from backend.forensics.report import EvidencePart
from backend.services.list_packets import PacketOptions, at_vantage, packet_filter, wanted_captures
from backend.services.open_tables import Tables, open_tables
from backend.storage.capture_tables import bytes_of_frames
from backend.storage.packet_pages import PathTables, frames_wanted
from backend.storage.store import Store

PACKETS_AT_MOST: Final = 2_000_000
BYTES_AT_MOST: Final = 2 << 30
"""Of a carved capture: what a browser downloads and Wireshark opens without pain."""
_BLOCK_BYTES: Final = 48
"""A packet block of a pcapng without options."""


@dataclass(frozen=True)
class Selection:
    """Frames by input, ascending."""

    frames: dict[str, list[int]]
    bytes: int
    """About so many will the capture have."""

    @property
    def packets(self) -> int:
        """How many they are."""
        return sum(len(frames) for frames in self.frames.values())


def select_by_filter(store: Store, investigation_id: str, options: PacketOptions) -> Selection:
    """What the list of packets shows; raises BadFilter, or InvalidRequest when it is too much."""
    with open_tables(store, investigation_id) as tables:
        wanted = packet_filter(options, tables)
        paths = PathTables(tables.paths, tables.sightings)
        found: dict[str, list[int]] = {}
        for _, capture, vantage in wanted_captures(tables, options.lane):
            frames = frames_wanted(
                tables.query, capture, paths, at_vantage(wanted, vantage), limit=PACKETS_AT_MOST + 1
            )
            found[capture.input] = sorted({*found.get(capture.input, ()), *frames})
        return _counted(tables, found)


def select_by_finding(
    store: Store, investigation_id: str, finding_id: str, instance: int | None
) -> Selection:
    """The evidence of a finding, or of one of its instances (1-based); raises NotFound."""
    with open_tables(store, investigation_id) as tables:
        finding = next((each for each in tables.report.findings if each.id == finding_id), None)
        if finding is None:
            raise NotFound("The present analysis has no such finding.")
        marks = [mark for mark in finding.marks if mark.instance == instance]
        if instance is not None and not marks:
            raise NotFound(f"The finding has no instance {instance}.")
        evidence = (
            finding.evidence if instance is None else [part for mark in marks for part in mark.evidence]
        )
        return _counted(tables, _frames_in(evidence))


def _frames_in(evidence: Iterable[EvidencePart]) -> dict[str, list[int]]:
    found: dict[str, set[int]] = {}
    for part in evidence:
        if part.frames:
            found.setdefault(part.input, set()).update(part.frames)
    return {name: sorted(frames) for name, frames in sorted(found.items())}


def _counted(tables: Tables, found: dict[str, list[int]]) -> Selection:
    frames = {name: numbers for name, numbers in found.items() if numbers}
    packets = sum(map(len, frames.values()))
    if packets > PACKETS_AT_MOST:
        raise InvalidRequest(f"These are more than {PACKETS_AT_MOST:,} packets: narrow the filter.")
    size = packets * _BLOCK_BYTES
    for name, numbers in frames.items():
        capture = tables.capture(name)
        size += 0 if capture is None else bytes_of_frames(tables.query, capture, numbers)
    if size > BYTES_AT_MOST:
        raise InvalidRequest(
            f"These {packets:,} packets have {size / 1e9:.1f} GB, more than the {BYTES_AT_MOST >> 30} GiB that are "
            "made at once: narrow the filter."
        )
    return Selection(frames, size)
