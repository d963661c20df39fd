"""The delayed lookups of a finding: events, rows and what a chart draws of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from backend.forensics.evidence.dns.delayed import DelayedLookup, Dns
from backend.forensics.evidence.dns.lost_queries import LostQuery, lookup_frames
from backend.forensics.evidence.dns.query_types import DNS_TYPES
from backend.forensics.evidence.facts import Facts
from backend.forensics.findings import frame_evidence, rfc3339, seconds_text
from backend.forensics.report import ColumnPart, EvidencePart, MarkPart, TablePart

ROWS_SHOWN = 1_000
_COLUMNS = (
    ("instance", ""),
    ("name", ""),
    ("client", ""),
    ("start", "UTC"),
    ("waited", "s"),
    ("why", ""),
    ("names tried", ""),
    ("retries", ""),
    ("answered", ""),
    ("seen at", ""),
    ("input", ""),
    ("frame", ""),
)


def type_name(number: int) -> str:
    """``AAAA``, or ``type 99``."""
    return DNS_TYPES.get(number, f"type {number}")


def list_events(facts: Facts, lookups: Sequence[DelayedLookup]) -> list[dict[str, Any]]:
    """Each lookup from its first query to its last answer."""
    dns, events = facts.dns, []
    for instance, one in enumerate(lookups, start=1):
        place = dns.messages.places[one.place]
        frames = sorted({frame for name, frame in lookup_frames(dns, one) if name == place.input})
        events.append(
            {
                "start": rfc3339(facts.lookup_time_ns(one.place, one.start_ns)),
                "end": rfc3339(facts.lookup_time_ns(one.place, one.end_ns)),
                "instance": instance,
                "name": one.name,
                "source": one.client,
                "destination": str(one.server),
                "wait_s": round(one.wait_s, 6),
                "why": sorted(one.why),
                "retries": one.retries,
                "names": one.names,
                "answered": one.answered,
                "input": place.input,
                "frames": frames,
            }
        )
    return events


def lookup_table(events: Sequence[dict[str, Any]], dns: Dns, lookups: Sequence[DelayedLookup]) -> TablePart:
    """One row a lookup, by time."""
    rows: list[list[Any]] = [
        [
            event["instance"],
            one.name,
            one.client,
            event["start"],
            round(one.wait_s, 6),
            ", ".join(sorted(one.why)),
            one.names,
            one.retries,
            "yes" if one.answered else "no",
            dns.messages.places[one.place].name,
            event["input"],
            event["frames"][0] if event["frames"] else None,
        ]
        for event, one in zip(events[:ROWS_SHOWN], lookups, strict=False)
    ]
    columns = [ColumnPart(name=name, unit=unit) for name, unit in _COLUMNS]
    return TablePart(name="delayed lookups", columns=columns, rows=rows, rows_total=len(lookups))


def draw_marks(facts: Facts, lookups: Sequence[DelayedLookup], lost: Sequence[LostQuery]) -> list[MarkPart]:
    """A bracket for each wait, the lost query and where it should have been seen, and the pair it belonged to."""
    dns = facts.dns
    by_lookup: dict[int, list[LostQuery]] = {}
    for query in lost:
        by_lookup.setdefault(query.lookup, []).append(query)
    marks = []
    for instance, one in enumerate(lookups, start=1):
        place = dns.messages.places[one.place]
        frames = [(name, n) for name, n in lookup_frames(dns, one) if name == place.input]
        marks.append(
            MarkPart(
                glyph="bracket",
                role="loss",
                basis="seen",
                start=rfc3339(facts.lookup_time_ns(one.place, one.start_ns)),
                end=rfc3339(facts.lookup_time_ns(one.place, one.end_ns)),
                lanes=[place.id],
                evidence=frame_evidence(frames),
                label=f"{one.name}: {seconds_text(one.wait_s)}",
                instance=instance,
                value=one.wait_s,
            )
        )
        for query in by_lookup.get(one.lookup, ()):
            start = rfc3339(facts.lookup_time_ns(query.inner.number, query.time_ns))
            marks.extend(_draw_lost(query, start, instance))
    return marks


def _draw_lost(query: LostQuery, start: str, instance: int) -> list[MarkPart]:
    evidence: list[EvidencePart] = frame_evidence(query.frames)
    what = f"{type_name(query.type)} {query.name}"
    marks = [
        MarkPart(
            glyph="instant",
            role="loss",
            basis="seen",
            start=start,
            lanes=[query.inner.id],
            evidence=evidence,
            label=f"no response to query {what}",
            instance=instance,
        )
    ]
    if query.where == "inside":
        marks.append(
            MarkPart(
                glyph="missing",
                role="loss",
                basis="seen",
                start=start,
                lanes=[place.id for place in query.outer],
                evidence=evidence,
                label=f"query {what} absent on {' or '.join(f'{p.word}' for p in query.outer)}",
                instance=instance,
            )
        )
    if query.pair_ns is not None:
        marks.append(
            MarkPart(
                glyph="pair",
                role="collision",
                basis="seen",
                start=start,
                lanes=[query.inner.id],
                evidence=frame_evidence([*query.frames, *query.pair_frames]),
                label=f"two queries from one socket, {query.pair_ns / 1000:,.0f} µs apart",
                instance=instance,
                value=query.pair_ns / 1000,
            )
        )
    return marks
