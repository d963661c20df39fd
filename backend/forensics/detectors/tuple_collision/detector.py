"""Lost SYNs that had a rival for their translated tuple."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from statistics import median

import numpy as np

from backend.forensics.cases.case import Case, Flow
from backend.forensics.detection.contract import Detection
from backend.forensics.detection.most_hit import most_hit
from backend.forensics.detection.present import present_case
from backend.forensics.detectors.tuple_collision.groups import detect_in_dumps
from backend.forensics.detectors.tuple_collision.marks import draw_marks
from backend.forensics.detectors.tuple_collision.thresholds import DEFAULT, Thresholds
from backend.forensics.evidence.absence.losses import UNKNOWN_PLACE, Loss
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.losses.rivals import Rival
from backend.forensics.findings import frame_evidence, plural, rfc3339
from backend.forensics.report import ColumnPart, FindingPart, TablePart

KIND = "tuple-collision"

Collision = tuple[Loss, Rival]


@dataclass(frozen=True, slots=True, kw_only=True)
class TupleCollision(Case):
    """Of one destination."""

    kind: str = KIND
    rival_distance_median_us: float
    rival_distance_max_us: float
    ports_rewritten: int
    insert_failed_delta: int | None


def detect(facts: Facts, thresholds: Thresholds = DEFAULT) -> Detection:
    """One finding per destination ip:port."""
    if not facts.has_packets:
        return detect_in_dumps(facts, thresholds)
    groups: dict[tuple[int, int, int], list[Collision]] = {}
    for number, rival in sorted(facts.rivals.items()):
        loss = facts.losses[number]
        if number not in facts.exhausted and _could_collide(loss):
            server = loss.attempt.server
            groups.setdefault((server.high, server.low, server.port), []).append((loss, rival))
    if not groups:
        lost = plural(len(facts.losses), "SYN")
        return Detection(
            "clear", f"{lost} lost; none competed with another source for its SNAT port within 1 ms"
        )
    hit = [groups[server] for server in sorted(groups)]
    shown, others = most_hit([len(group) for group in hit], thresholds.findings_shown)
    total = sum(len(group) for group in groups.values())
    lost = plural(total, "lost SYN")
    why = f"{lost} competed with another source's SYN for one SNAT port within 1 ms{others}"
    judge, present = partial(_case, facts, thresholds), partial(_present, facts, thresholds)
    return Detection.of_groups(why, [hit[n] for n in shown], judge, present)


def _could_collide(loss: Loss) -> bool:
    """Lost where addresses are translated, or at an unknown place; never when it was seen or answered further
    on."""
    return loss.rewritten if loss.inside is not None else loss.where == UNKNOWN_PLACE


def _ports_rewritten(facts: Facts, collisions: list[Collision]) -> int:
    same = facts.attempts.rows_to(collisions[0][0].attempt.server)
    return int(np.count_nonzero(facts.attempts.table["rewritten_source_port"][same]))


def _case(facts: Facts, thresholds: Thresholds, collisions: list[Collision]) -> TupleCollision:
    located = all(loss.inside is not None for loss, _ in collisions)
    distances_us = [rival.distance_ns / 1000 for _, rival in collisions]
    delta, target = facts.node.delta, collisions[0][0].attempt.server
    frames = [(s.place.input, s.frame) for loss, _ in collisions for s in loss.transmission.sightings]
    frames += [(rival.place.input, rival.frame) for _, rival in collisions]
    what = "SYN was" if len(collisions) == 1 else "SYNs were"
    # The wait is counted by the case of repeated SYNs; counting it here too would double it.
    return TupleCollision(
        severity="critical" if located and len(collisions) >= thresholds.critical_collisions else "warning",
        confidence=thresholds.confidence_located if located else thresholds.confidence_unlocated,
        summary=(
            f"{len(collisions):,} lost {what} sent within 1 ms of another source's SYN with the same "
            "source port."
        ),
        count=len(collisions),
        first_ns=min(loss.transmission.time_ns for loss, _ in collisions),
        last_ns=max(loss.transmission.time_ns for loss, _ in collisions),
        flows=tuple(Flow("tcp", source, target) for source in _sources(collisions)),
        evidence=tuple(frame_evidence(frames, "lost SYNs and the SYNs they collided with")),
        rival_distance_median_us=round(median(distances_us), 3),
        rival_distance_max_us=round(max(distances_us), 3),
        ports_rewritten=_ports_rewritten(facts, collisions),
        insert_failed_delta=delta.deltas.get("insert_failed") if delta else None,
    )


def _present(
    facts: Facts, thresholds: Thresholds, collisions: list[Collision], case: TupleCollision
) -> FindingPart:
    return present_case(
        case,
        f"SNAT source-port collisions to {case.target}",
        events=[_event(instance, *collision) for instance, collision in enumerate(collisions, start=1)],
        marks=draw_marks(facts, collisions, thresholds),
        tables=[_table(collisions)],
    )


def _sources(collisions: list[Collision]) -> list[str]:
    return sorted({loss.attempt.client.host for loss, _ in collisions})


def _event(instance: int, loss: Loss, rival: Rival) -> dict[str, object]:
    return {
        "start": rfc3339(min(loss.transmission.time_ns, rival.time_ns)),
        "end": rfc3339(max(loss.transmission.time_ns, rival.time_ns)),
        "instance": instance,
        "source": str(loss.attempt.client),
        "rival": str(rival.source),
        "distance_us": rival.distance_ns / 1000,
        "input": rival.place.input,
        "frames": [loss.transmission.first.frame, rival.frame],
    }


def _table(collisions: list[Collision]) -> TablePart:
    names = (
        ("instance", ""),
        ("lost", ""),
        ("collided with", ""),
        ("apart", "µs"),
        ("input", ""),
        ("frame", ""),
        ("collided frame", ""),
    )
    rows: list[list[object]] = [
        [
            instance,
            str(loss.attempt.client),
            str(rival.source),
            rival.distance_ns / 1000,
            rival.place.input,
            loss.transmission.first.frame,
            rival.frame,
        ]
        for instance, (loss, rival) in enumerate(collisions[:1_000], start=1)
    ]
    columns = [ColumnPart(name=name, unit=unit) for name, unit in names]
    return TablePart(name="collisions", columns=columns, rows=rows, rows_total=len(collisions))
