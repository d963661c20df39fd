"""What a chart draws: a bracket over each served request with calls to a token service inside."""

from __future__ import annotations

from typing import Any

import numpy as np

from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.requests.token_calls import TokenUse
from backend.forensics.findings import frame_evidence, plural, rfc3339
from backend.forensics.report import MarkPart


def _milliseconds(use: TokenUse, position: int) -> tuple[float, float]:
    """(calls, whole request) in ms."""
    service_ns = int(use.served_end_ns[position] - use.served_start_ns[position])
    return int(use.call_ns[position]) / 1e6, service_ns / 1e6


def list_events(use: TokenUse, most: int) -> list[dict[str, Any]]:
    """One for each served request with calls inside."""
    calls_in, events = use.calls_in, []
    for instance, position in enumerate(np.flatnonzero(calls_in)[:most].tolist(), 1):
        call_ms, service_ms = _milliseconds(use, position)
        events.append(
            {
                "instance": instance,
                "start": rfc3339(int(use.served_start_ns[position])),
                "end": rfc3339(int(use.served_end_ns[position])),
                "calls": int(calls_in[position]),
                "call_ms": round(call_ms, 3),
                "service_ms": round(service_ms, 3),
                "share_ratio": round(call_ms / max(service_ms, 1e-6), 4),
            }
        )
    return events


def draw_brackets(facts: Facts, use: TokenUse, most: int) -> list[MarkPart]:
    """A bracket each, with the frames of the calls' ClientHellos, in the lane that saw the first of them."""
    calls, outers, inners = use.calls, use.inside[0], use.inside[1]
    of_request: dict[int, list[int]] = {}
    for position, call in zip(outers.tolist(), inners.tolist(), strict=True):
        of_request.setdefault(position, []).append(call)
    inputs = [facts.captures[n].name for n in calls.capture.tolist()]
    frames = list(zip(inputs, calls.frame.tolist(), strict=True))
    places = calls.place.tolist()
    marks = []
    for instance, position in enumerate(sorted(of_request)[:most], 1):
        mine = of_request[position]
        call_ms, service_ms = _milliseconds(use, position)
        marks.append(
            MarkPart(
                glyph="bracket",
                role="burst",
                basis="seen",
                start=rfc3339(int(use.served_start_ns[position])),
                end=rfc3339(int(use.served_end_ns[position])),
                lanes=[facts.attempts.places[places[mine[0]]].id],
                evidence=frame_evidence(frames[n] for n in mine),
                label=f"{plural(len(mine), 'call')} to a token service: {call_ms:,.1f} of {service_ms:,.1f} ms",
                instance=instance,
                value=float(len(mine)),
            )
        )
    return marks
