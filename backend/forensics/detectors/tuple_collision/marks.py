"""What a chart draws of a collision: the pair, and what the conntrack event listing says of it."""

from __future__ import annotations

from backend.forensics.detectors.tuple_collision.thresholds import Thresholds
from backend.forensics.dumps import ConntrackEntry
from backend.forensics.evidence.absence.losses import Loss
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.losses.rivals import Rival
from backend.forensics.findings import drawn_series, frame_evidence, line_evidence, rfc3339, step_marks
from backend.forensics.report import MarkPart

Key = tuple[str, str]


def draw_marks(facts: Facts, collisions: list[tuple[Loss, Rival]], thresholds: Thresholds) -> list[MarkPart]:
    """A pair per collision, the NEW events of both tuples and the rises of counters where dumps have times."""
    shown = collisions[: thresholds.marked_instances]
    events = _new_events(facts, {loss.attempt.client.port for loss, _ in shown})
    marks: list[MarkPart] = []
    for instance, (loss, rival) in enumerate(shown, start=1):
        sent = loss.transmission
        both = frame_evidence([(sent.first.place.input, sent.first.frame), (rival.place.input, rival.frame)])
        marks.append(
            MarkPart(
                glyph="pair",
                role="collision",
                basis="inferred",
                start=rfc3339(min(sent.time_ns, rival.time_ns)),
                end=rfc3339(max(sent.time_ns, rival.time_ns)),
                lanes=["nat"],
                evidence=both,
                label=f"both use source port {loss.attempt.client.port}, {rival.distance_ns / 1000:g} µs apart",
                instance=instance,
                value=float(rival.distance_ns),
            )
        )
        marks.append(
            MarkPart(
                glyph="instant",
                role="collision",
                basis="seen",
                start=rfc3339(rival.time_ns),
                lanes=[rival.place.id],
                evidence=frame_evidence([(rival.place.input, rival.frame)]),
                label=f"competing SYN {rival.source}",
                instance=instance,
            )
        )
        server = str(loss.attempt.server)
        for source in (str(rival.source), str(loss.attempt.client)):
            marks.extend(
                _event_mark(name, entry, instance) for name, entry in events.get((source, server), [])
            )
    steps = [mark for series in drawn_series(facts.kernel.series) for mark in step_marks(series)]
    return [*marks, *steps[: thresholds.marked_instances]]


def _new_events(facts: Facts, ports: set[int]) -> dict[Key, list[tuple[str, ConntrackEntry]]]:
    events: dict[Key, list[tuple[str, ConntrackEntry]]] = {}
    for name, entry in facts.node.new_events(ports):
        original = entry.original
        key = (
            f"{original.source}:{original.source_port}",
            f"{original.destination}:{original.destination_port}",
        )
        events.setdefault(key, []).append((name, entry))
    return events


def _event_mark(name: str, entry: ConntrackEntry, instance: int) -> MarkPart:
    return MarkPart(
        glyph="instant",
        role="neutral",
        basis="seen",
        start=rfc3339(entry.time_ns or 0),
        lanes=[f"kernel:{name}"],
        evidence=line_evidence([(name, entry.line)]),
        label=(
            f"conntrack [NEW] {entry.original.source}:{entry.original.source_port} as port "
            f"{entry.reply.destination_port}"
        ),
        instance=instance,
    )
