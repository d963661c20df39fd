"""The report's part about served requests: what their time went into, by shape, and what cost most."""

from __future__ import annotations

import numpy as np

from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.requests.exchanges import read_rows
from backend.forensics.evidence.requests.latency_breakdown import (
    CALL,
    DNS,
    METADATA,
    LatencyBreakdown,
    capture_of,
)
from backend.forensics.evidence.requests.request_shapes import SHAPES_MOST, Shape
from backend.forensics.findings import frame_evidence, plural, seconds_text
from backend.forensics.report import CalleePart, EvidencePart, RequestShapePart, ServedRequestsPart
from backend.forensics.wording import percent

_WORDS = {METADATA: "metadata calls", DNS: "DNS lookups", CALL: "upstream calls"}
_OWN = "own processing"


def describe_served(facts: Facts) -> ServedRequestsPart | None:
    """None without a served request whose server was seen to ask others."""
    breakdown = facts.breakdown
    if not len(breakdown):
        return None
    shapes = facts.request_shapes
    taken_s = [float(ns.sum()) / 1e9 for ns in (*breakdown.part_ns, breakdown.own_ns)]
    return ServedRequestsPart(
        statement=_statement(breakdown, taken_s),
        count=len(breakdown),
        inferred=int(np.count_nonzero(breakdown.inferred)),
        total_s=round(float(breakdown.total_ns.sum()) / 1e9, 6),
        metadata_s=round(taken_s[METADATA], 6),
        dns_s=round(taken_s[DNS], 6),
        calls_s=round(taken_s[CALL], 6),
        own_s=round(taken_s[-1], 6),
        shapes=[_shape(facts, shape) for shape in shapes[:SHAPES_MOST]],
        shapes_total=len(shapes),
    )


def _statement(breakdown: LatencyBreakdown, taken_s: list[float]) -> str:
    """``Of the 3.9 s that 60 requests took, metadata calls cost most: 71 %; …``"""
    total_s = max(sum(taken_s), 1e-9)
    named = sorted(zip(taken_s, [*_WORDS.values(), _OWN], strict=True), reverse=True)
    most, rest = (
        named[0],
        [f"{words} {percent(seconds / total_s)}" for seconds, words in named[1:] if seconds > 0],
    )
    text = f"Of the {seconds_text(total_s)} that {plural(len(breakdown), 'served request')} took, {most[1]} cost most: "
    return f"{text}{percent(most[0] / total_s)}{'; ' + ', '.join(rest) if rest else ''}."


def _shape(facts: Facts, shape: Shape) -> RequestShapePart:
    breakdown, rows = facts.breakdown, shape.rows
    total_ms = breakdown.total_ns[rows] / 1e6
    middle = [round(float(np.median(ns[rows])) / 1e6, 3) for ns in (*breakdown.part_ns, breakdown.own_ns)]
    return RequestShapePart(
        request=shape.request,
        basis="inferred" if shape.inferred else "seen",
        callees=[CalleePart(kind=c.kind, name=c.name, count=c.count) for c in shape.callees],  # type: ignore[arg-type]
        count=len(rows),
        total_p50_ms=round(float(np.median(total_ms)), 3),
        total_p95_ms=round(float(np.percentile(total_ms, 95)), 3),
        metadata_p50_ms=middle[METADATA],
        dns_p50_ms=middle[DNS],
        calls_p50_ms=middle[CALL],
        own_p50_ms=middle[-1],
        examples=[_example(facts, row) for row in dict.fromkeys(shape.examples)],
    )


def _example(facts: Facts, row: int) -> EvidencePart:
    breakdown, exchanges = facts.breakdown, facts.exchanges
    note = seconds_text(int(breakdown.total_ns[row]) / 1e9)
    if breakdown.exchange[row] < 0:
        capture = int(capture_of(breakdown.node[row : row + 1], facts.attempts.sightings)[0])
        frame = int(breakdown.frame[row])
    else:
        at = breakdown.exchange[row : row + 1]
        capture = int(exchanges.server_capture[at[0]])
        texts = read_rows(
            facts.captures, exchanges.server_capture[at], exchanges.server_row[at], ("request_first_frame",)
        )
        frame = int(texts["request_first_frame"][0].as_py())
    return frame_evidence([(facts.captures[capture].name, frame)], note)[0]
