"""The instances of a finding: what a chart draws of them, events and rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from backend.forensics.evidence.nat.port_reuse import ReusedTuple
from backend.forensics.findings import frame_evidence, rfc3339, seconds_text
from backend.forensics.report import ColumnPart, MarkPart, TablePart

ROWS_SHOWN = 1_000
_COLUMNS = (
    ("instance", ""),
    ("source", ""),
    ("destination", ""),
    ("SYN", "UTC"),
    ("closed for", "s"),
    ("seen at", ""),
    ("input", ""),
    ("frame", ""),
    ("earlier connection's frame", ""),
)


def draw_marks(hit: Sequence[ReusedTuple]) -> list[MarkPart]:
    """The SYN, and the time between the end of the earlier connection and it."""
    marks = []
    for instance, one in enumerate(hit, start=1):
        evidence = frame_evidence((one.place.input, frame) for frame in one.frames)
        marks.append(
            MarkPart(
                glyph="bracket",
                role="neutral",
                basis="seen",
                start=rfc3339(one.syn_ns - one.gap_ns),
                end=rfc3339(one.syn_ns),
                lanes=[one.place.id],
                evidence=evidence,
                label=f"{one.client} was closed {seconds_text(one.gap_ns / 1e9)} before",
                instance=instance,
                value=one.gap_ns / 1e9,
            )
        )
        marks.append(
            MarkPart(
                glyph="instant",
                role="loss",
                basis="seen",
                start=rfc3339(one.syn_ns),
                lanes=[one.place.id],
                evidence=frame_evidence([(one.place.input, one.syn_frame)]),
                label=f"SYN on the reused 5-tuple {one.client}",
                instance=instance,
            )
        )
    return marks


def list_events(hit: Sequence[ReusedTuple]) -> list[dict[str, Any]]:
    """Each instance, from the end of the earlier connection to the SYN."""
    return [
        {
            "start": rfc3339(one.syn_ns - one.gap_ns),
            "end": rfc3339(one.syn_ns),
            "instance": instance,
            "source": str(one.client),
            "destination": str(one.server),
            "gap_s": round(one.gap_ns / 1e9, 6),
            "input": one.place.input,
            "frames": one.frames,
        }
        for instance, one in enumerate(hit, start=1)
    ]


def instance_table(hit: Sequence[ReusedTuple]) -> TablePart:
    """One row per attempt that suffered, by time."""
    rows: list[list[Any]] = [
        [
            instance,
            str(one.client),
            str(one.server),
            rfc3339(one.syn_ns),
            round(one.gap_ns / 1e9, 6),
            one.place.name,
            one.place.input,
            one.syn_frame,
            one.earlier_frame,
        ]
        for instance, one in enumerate(hit[:ROWS_SHOWN], start=1)
    ]
    columns = [ColumnPart(name=name, unit=unit) for name, unit in _COLUMNS]
    return TablePart(name="reused 5-tuples", columns=columns, rows=rows, rows_total=len(hit))
