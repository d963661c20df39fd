"""What a chart draws of each lost SYN: where it was, where it should have been, when it was sent again."""

from __future__ import annotations

from backend.forensics.detectors.syn_retransmission.schedules import expected_times_s
from backend.forensics.detectors.syn_retransmission.thresholds import Thresholds
from backend.forensics.evidence.absence.losses import Loss
from backend.forensics.evidence.attempts.attempts import Sighting, Transmission
from backend.forensics.findings import frame_evidence, rfc3339, seconds_text
from backend.forensics.report import EvidencePart, MarkPart

GUIDES_AT_LEAST = 3
GUIDES_WITHIN_S = 7
"""1, 3 and 7 s of the classic schedule; of a linear one, 1, 2, 3, 4, 5 and 7: fewer would not show what it is."""


def draw_marks(losses: list[Loss], schedule: str, thresholds: Thresholds) -> list[MarkPart]:
    """Marks of the first instances (`Thresholds.marked_instances`), instance by instance."""
    marks: list[MarkPart] = []
    for instance, loss in enumerate(losses[: thresholds.marked_instances], start=1):
        marks.extend(_draw_loss(loss, instance))
        marks.extend(_draw_guides(loss, instance, schedule, thresholds))
    return marks


def _evidence(sightings: tuple[Sighting, ...]) -> list[EvidencePart]:
    return frame_evidence((s.place.input, s.frame) for s in sightings)


def _lanes(sent: Transmission) -> list[str]:
    return list(dict.fromkeys(s.place.id for s in sent.sightings))


def _draw_loss(loss: Loss, instance: int) -> list[MarkPart]:
    sent, retry = loss.transmission, loss.retry
    marks = [
        MarkPart(
            glyph="instant",
            role="neutral",
            basis="seen",
            start=rfc3339(s.time_ns),
            lanes=[s.place.id],
            evidence=frame_evidence([(s.place.input, s.frame)]),
            label=f"SYN {s.source}",
            instance=instance,
        )
        for s in sent.sightings
    ]
    if loss.inside is not None:
        inner, outer = loss.inside
        marks.append(
            MarkPart(
                glyph="missing",
                role="loss",
                basis="seen",
                start=rfc3339(sent.time_ns),
                lanes=[outer.id],
                evidence=_evidence(sent.sightings),
                label=f"the packet of frame #{sent.last.frame} on {inner.word} is absent on {outer.word}",
                instance=instance,
            )
        )
    if retry is not None:
        marks.extend(_draw_retry(loss, retry, instance))
    return marks


def _draw_retry(loss: Loss, retry: Transmission, instance: int) -> list[MarkPart]:
    sent = loss.transmission
    gap_s = (retry.time_ns - sent.time_ns) / 1e9
    both = _evidence((*sent.sightings, *retry.sightings))
    again = retry.first
    marks = [
        MarkPart(
            glyph="ladder",
            role="loss",
            basis="seen",
            start=rfc3339(sent.time_ns),
            end=rfc3339(retry.time_ns),
            lanes=[again.place.id],
            evidence=both,
            label=f"retransmitted after {seconds_text(gap_s)}",
            instance=instance,
            value=gap_s,
        ),
        MarkPart(
            glyph="repeat",
            role="loss",
            basis="seen",
            start=rfc3339(retry.time_ns),
            lanes=[again.place.id],
            evidence=_evidence(retry.sightings),
            label=f"SYN retransmission {again.source}",
            instance=instance,
        ),
    ]
    return [*marks, _draw_passage(retry, instance)] if len(retry.sightings) > 1 else marks


def _draw_passage(retry: Transmission, instance: int) -> MarkPart:
    """The way of a retry over the vantage points, with the port it left with."""
    before, behind = retry.first.source, retry.last.source
    ports = f" {before.port} → {behind.port}" if behind != before else ""
    return MarkPart(
        glyph="path",
        role="ok",
        basis="seen",
        start=rfc3339(retry.time_ns),
        end=rfc3339(max(s.time_ns for s in retry.sightings)),
        lanes=_lanes(retry),
        evidence=_evidence(retry.sightings),
        label=f"retransmission passes{ports}",
        instance=instance,
    )


def guide_times_s(schedule: str) -> tuple[float, ...]:
    """Seconds after the first SYN at which retries are drawn as expected: the first ones, and all of the first 7 s."""
    times = expected_times_s(schedule)
    return times[: max(GUIDES_AT_LEAST, sum(at_s <= GUIDES_WITHIN_S for at_s in times))]


def _draw_guides(loss: Loss, instance: int, schedule: str, thresholds: Thresholds) -> list[MarkPart]:
    """Where the schedule expects retries, so that a reader can compare."""
    marks = []
    evidence = _evidence(loss.transmission.sightings)
    for at_s in guide_times_s(schedule):
        tolerance_s = max(thresholds.step_tolerance_s, thresholds.step_tolerance_ratio * at_s)
        marks.append(
            MarkPart(
                glyph="guide",
                role="neutral",
                basis="inferred",
                start=rfc3339(loss.attempt.start_ns + round(at_s * 1e9)),
                lanes=[],
                evidence=evidence,
                label=f"{at_s:g} s",
                instance=instance,
                value=tolerance_s,
            )
        )
    return marks
