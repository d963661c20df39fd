"""The instances of a finding: what a chart draws of them, events and rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.nat.ipvs_servers import Drain, SentConnection
from backend.forensics.findings import frame_evidence, line_evidence, rfc3339
from backend.forensics.report import ColumnPart, MarkPart, TablePart

ROWS_SHOWN = 1_000
_COLUMNS = (
    ("instance", ""),
    ("client", ""),
    ("SYN", "UTC"),
    ("retransmitted or unanswered", ""),
    ("seen at", ""),
    ("input", ""),
    ("frame", ""),
)


def draw_marks(drain: Drain, sent: Sequence[SentConnection]) -> list[MarkPart]:
    """When the listings show the change, and each connection that came after it."""
    drained = drain.drained
    what = "weight 0" if drained.weight == 0 else "no longer listed"
    marks = [_change(f"{drained.server}: {what}", drained.since_ns, drained.since)]
    if drained.removed is not None and drained.removed_ns is not None and drained.weight == 0:
        marks.append(_change(f"{drained.server}: no longer listed", drained.removed_ns, drained.removed))
    for instance, one in enumerate(sent, start=1):
        marks.append(
            MarkPart(
                glyph="instant",
                role="loss",
                basis="seen",
                start=rfc3339(one.syn_ns),
                lanes=[one.place.id],
                evidence=frame_evidence([(one.place.input, one.frame)]),
                label=f"{one.client} forwarded to {drained.server}",
                instance=instance,
            )
        )
    return marks


def _change(label: str, time_ns: int, line: tuple[str, int]) -> MarkPart:
    return MarkPart(
        glyph="step",
        role="neutral",
        basis="seen",
        start=rfc3339(time_ns),
        lanes=[f"kernel:{line[0]}"],
        evidence=line_evidence([line]),
        label=label,
    )


def list_events(drain: Drain, sent: Sequence[SentConnection]) -> list[dict[str, Any]]:
    """Each connection, by time."""
    return [
        {
            "start": rfc3339(one.syn_ns),
            "end": rfc3339(one.syn_ns),
            "instance": instance,
            "source": str(one.client),
            "destination": str(drain.drained.server),
            "input": one.place.input,
            "frames": [one.frame],
        }
        for instance, one in enumerate(sent, start=1)
    ]


def instance_table(facts: Facts, sent: Sequence[SentConnection]) -> TablePart:
    """One row per connection, by time."""
    rows: list[list[Any]] = [
        [
            instance,
            str(one.client),
            rfc3339(one.syn_ns),
            "yes" if facts.port_reuse.suffered[one.row] else "no",
            one.place.name,
            one.place.input,
            one.frame,
        ]
        for instance, one in enumerate(sent[:ROWS_SHOWN], start=1)
    ]
    columns = [ColumnPart(name=name, unit=unit) for name, unit in _COLUMNS]
    return TablePart(
        name="connections to the drained server", columns=columns, rows=rows, rows_total=len(sent)
    )
