"""Compares our marks of TCP segments with tshark's ``tcp.analysis.*``, and states the reason of each difference."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow.parquet as pq

from backend.forensics import packets as p
from backend.forensics.wireshark import ANALYSIS_FIELDS, FLAGS
from workers.decode.captures import NotACapture, decode_capture

OURS, THEIRS, BOTH = "ours only", "theirs only", "both"

_COLUMNS: Final = [
    "frame", "time_ns", "connection", "captured_bytes", "original_bytes", "source_low", "source_port",
    "destination_low", "destination_port", "tcp_flags", "sequence", "acknowledgement", "payload_bytes", "vlan",
    "tunnel", "marks", "sack",
]  # fmt: skip


@dataclass(frozen=True)
class Segment:
    """One TCP segment as both see it. `outstanding`: the other side had sent bytes beyond this ACK."""

    capture: str
    row: Mapping[str, Any]
    theirs: frozenset[str]
    outstanding: bool
    in_order: bool
    """No earlier packet of its connection has a later time."""
    after_cut: bool
    """The snap length cut this frame or an earlier one of its connection."""

    @property
    def marks(self) -> int:
        """Our marks."""
        return int(self.row["marks"])

    def has(self, flag: str) -> tuple[bool, bool]:
        """(whether we say it, whether they do)."""
        mark, names = FLAGS[flag]
        return bool(self.marks & mark), not self.theirs.isdisjoint(names)


class NeedsOneVantagePoint(ValueError):  # noqa: N818 - says what the capture lacks
    """The capture has several vantage points, which tshark takes for one."""


def _their_flags(path: Path) -> dict[int, frozenset[str]]:
    """By frame, of the packets that tshark takes for TCP."""
    command = ["tshark", "-n", "-r", str(path), "-T", "fields", "-e", "frame.number", "-e", "tcp.stream"]
    for name in ANALYSIS_FIELDS:
        command += ["-e", f"tcp.analysis.{name}"]
    found = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    flags: dict[int, frozenset[str]] = {}
    for line in found.splitlines():
        frame, stream, *values = line.split("\t")
        if stream:
            flags[int(frame)] = frozenset(n for n, v in zip(ANALYSIS_FIELDS, values, strict=True) if v)
    return flags


class _Sides:
    """What each side of each connection has sent so far, counted here a second time."""

    def __init__(self) -> None:
        self._highest: dict[tuple[int, int, int], int] = {}
        self._latest: dict[int, int] = {}
        self._cut: set[int] = set()

    def after_cut(self, row: Mapping[str, Any]) -> bool:
        """Whether the snap length cut this frame or an earlier one of its connection."""
        if row["captured_bytes"] < row["original_bytes"]:
            self._cut.add(row["connection"])
        return row["connection"] in self._cut

    def outstanding(self, row: Mapping[str, Any]) -> bool:
        """Whether the other side has sent bytes beyond this segment's ACK."""
        other = (row["connection"], row["destination_low"], row["destination_port"])
        highest = self._highest.get(other)
        return highest is not None and 0 < (highest - row["acknowledgement"]) % 2**32 < 2**31

    def take(self, row: Mapping[str, Any]) -> bool:
        """Counts the segment; returns whether its connection's times are in order so far."""
        key = (row["connection"], row["source_low"], row["source_port"])
        flags = row["tcp_flags"]
        end = (row["sequence"] + row["payload_bytes"] + bool(flags & p.SYN) + bool(flags & p.FIN)) % 2**32
        if key not in self._highest or 0 < (end - self._highest[key]) % 2**32 < 2**31:
            self._highest[key] = end
        latest = max(self._latest.get(row["connection"], row["time_ns"]), row["time_ns"])
        self._latest[row["connection"]] = latest
        return bool(latest == row["time_ns"])


def segments(path: Path, name: str, folder: Path) -> Iterator[Segment]:
    """The TCP segments of a capture that both read; `folder` takes our packet table for the time.

    Raises NotACapture, NeedsOneVantagePoint, OSError."""
    table = folder / "packets.parquet"
    capture = decode_capture(path, name=path.name, sha256="", packets_path=table)
    if sum(1 for point in capture.vantage_points if point.packets) > 1:
        raise NeedsOneVantagePoint(name)
    theirs = _their_flags(path)
    sides = _Sides()
    wanted = [("protocol", "=", p.TCP), ("layers", "=", p.DECODED_TRANSPORT)]
    for row in pq.read_table(table, columns=_COLUMNS, filters=wanted).to_pylist():
        if row["frame"] in theirs:
            outstanding = sides.outstanding(row)
            in_order, after_cut = sides.take(row), sides.after_cut(row)
            yield Segment(name, row, theirs[row["frame"]], outstanding, in_order, after_cut)


def all_segments(folders: list[Path], folder: Path) -> Iterator[Segment]:
    """Of every capture below the folders that has one vantage point."""
    for root in folders:
        for path in sorted(path for path in root.rglob("*.pcap*") if path.is_file()):
            try:
                yield from segments(path, f"{root.name}/{path.relative_to(root)}", folder)
            except (NotACapture, NeedsOneVantagePoint):
                continue
