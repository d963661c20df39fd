"""What a chart draws: a bracket over each served request with calls inside."""

from __future__ import annotations

from typing import Any

import numpy as np

from backend.forensics.detectors.metadata_burst.tables import request_lines
from backend.forensics.evidence.clocks.sightings import Ints
from backend.forensics.evidence.clocks.sorted_rows import stable_argsort
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.requests.metadata_calls import MetadataUse, call_frames
from backend.forensics.findings import frame_evidence, plural, rfc3339
from backend.forensics.report import MarkPart


def _with_calls(use: MetadataUse, most: int) -> Ints:
    return np.flatnonzero(use.calls_in)[:most]


def _milliseconds(use: MetadataUse, position: int) -> tuple[float, float]:
    """(metadata, whole request) in ms."""
    service_ns = int(use.served_end_ns[position] - use.served_start_ns[position])
    return int(use.metadata_ns[position]) / 1e6, service_ns / 1e6


def list_events(facts: Facts, use: MetadataUse, most: int) -> list[dict[str, Any]]:
    """One for each served request with calls inside."""
    positions = _with_calls(use, most)
    lines, calls_in = request_lines(facts, use, positions), use.calls_in
    events = []
    for instance, position in enumerate(positions.tolist(), 1):
        metadata_ms, service_ms = _milliseconds(use, position)
        events.append(
            {
                "instance": instance,
                "start": rfc3339(int(use.served_start_ns[position])),
                "end": rfc3339(int(use.served_end_ns[position])),
                "request": lines[instance - 1],
                "calls": int(calls_in[position]),
                "metadata_ms": round(metadata_ms, 3),
                "service_ms": round(service_ms, 3),
                "share_ratio": round(metadata_ms / max(service_ms, 1e-6), 4),
            }
        )
    return events


def draw_brackets(facts: Facts, use: MetadataUse, most: int) -> list[MarkPart]:
    """A bracket each, with the frames of the calls."""
    positions = _with_calls(use, most)
    exchanges, places = facts.exchanges, facts.attempts.places
    outers, inners = use.inside
    begins = np.searchsorted(outers[stable_argsort(outers)], positions)
    ordered = inners[stable_argsort(outers)]
    calls_in = use.calls_in
    asked, answered = call_frames(facts.captures, exchanges, use.calls.exchange)
    of_answer = dict(zip(answered_positions(facts, use), answered, strict=True))
    marks = []
    for instance, (position, begin) in enumerate(zip(positions.tolist(), begins.tolist(), strict=True), 1):
        number = int(calls_in[position])
        mine = ordered[begin : begin + number].tolist()
        frames = [asked[n] for n in mine] + [of_answer[n] for n in mine if n in of_answer]
        metadata_ms, service_ms = _milliseconds(use, position)
        marks.append(
            MarkPart(
                glyph="bracket",
                role="burst",
                basis="seen",
                start=rfc3339(int(use.served_start_ns[position])),
                end=rfc3339(int(use.served_end_ns[position])),
                lanes=[places[int(exchanges.server_vantage[use.served[position]])].id],
                evidence=frame_evidence(frames),
                label=f"{plural(number, 'metadata call')}: {metadata_ms:,.1f} of {service_ms:,.1f} ms",
                instance=instance,
                value=float(number),
            )
        )
    return marks


def answered_positions(facts: Facts, use: MetadataUse) -> list[int]:
    """Positions of the calls that have an answer, in order."""
    return np.flatnonzero(facts.exchanges.answer_row[use.calls.exchange] >= 0).tolist()
