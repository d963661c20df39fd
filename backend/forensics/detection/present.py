"""What presenters of all kinds share: a case as a finding of the report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from backend.forensics.cases.case import Case, Flow, Instance, own_fields
from backend.forensics.findings import frame_evidence, rfc3339
from backend.forensics.report import FindingPart, MarkPart, Role, TablePart
from backend.forensics.report_text import Glyph

One = TypeVar("One", bound=Instance)


def present_case(
    case: Case,
    title: str,
    *,
    affected: Sequence[dict[str, Any]] | None = None,
    events: Sequence[dict[str, Any]] | None = None,
    marks: Sequence[MarkPart] = (),
    tables: Sequence[TablePart] = (),
) -> FindingPart:
    """The finding. `affected` and `events` where the report says more than the case's flows and instances hold."""
    return FindingPart(
        id=case.id,
        kind=case.kind,
        severity=case.severity,
        confidence=case.confidence,
        title=title,
        summary=case.summary,
        count=case.count,
        first=time_text(case.first_ns),
        last=time_text(case.last_ns),
        time_lost_s=round(case.time_lost_s, 6),
        measures=dict(own_fields(case)),
        affected=[_affected(flow) for flow in case.flows] if affected is None else list(affected),
        events=[event_of(one) for one in case.instances] if events is None else list(events),
        evidence=list(case.evidence),
        marks=list(marks),
        tables=list(tables),
    )


def time_text(time_ns: int | None) -> str | None:
    """RFC 3339, None where no time is known."""
    return None if time_ns is None else rfc3339(time_ns)


def event_of(instance: Instance) -> dict[str, Any]:
    """Its span, and what its class adds."""
    span = {"start": rfc3339(instance.start_ns), "end": rfc3339(instance.end_ns)}
    return {**span, **dict(own_fields(instance))}


def event_with_packets(instance: Instance) -> dict[str, Any]:
    """The same, with its input and its frames."""
    name, frames = instance.packets[0][0], [frame for _, frame in instance.packets]
    return {**event_of(instance), "input": name, "frames": frames}


def draw_instances(
    instances: Iterable[One],
    glyph: Glyph,
    role: Role,
    *,
    label: Callable[[One], str],
    value: Callable[[One], float],
) -> list[MarkPart]:
    """A mark for each, at its vantage point, with its packets."""
    return [
        MarkPart(
            glyph=glyph,
            role=role,
            basis="seen",
            start=rfc3339(one.start_ns),
            end=rfc3339(one.end_ns),
            lanes=[one.lane],
            evidence=frame_evidence(one.packets),
            label=label(one),
            instance=number,
            value=value(one),
        )
        for number, one in enumerate(instances, 1)
    ]


def _affected(flow: Flow) -> dict[str, Any]:
    ends = {"source": flow.source, "destination": flow.destination}
    return {"protocol": flow.protocol, **{name: str(end) for name, end in ends.items() if end is not None}}
