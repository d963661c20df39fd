"""Late answers of a server whose host stopped a control group for its CPU quota meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from backend.forensics.cases.case import Case
from backend.forensics.cases.slow_answer import SlowAnswer
from backend.forensics.diagnosis.contract import TIME_LOST, Hypothesis, Weighed
from backend.forensics.diagnosis.measured import first_packets, frames_of
from backend.forensics.evidence.facts import Facts
from backend.forensics.evidence.kernel.kernel_signs import Rise, counter_rise
from backend.forensics.findings import line_evidence, plural, seconds_text
from backend.forensics.report import ClaimPart, RemedyPart, RivalPart

PRIOR = -1.5
"""Any process of the host can be the one that was stopped."""
OFTEN_LEAST = 5
"""Fewer periods that ended early are usual when a program starts."""


OFTEN_SHARE = 0.1
"""Of the scheduler's periods: throttled in so many, a group waits for a noticeable part of its time."""


@dataclass(frozen=True)
class Throttled:
    """What cpu.stat of a server's host counted; `periods` is None where it does not show them."""

    rise: Rise
    periods: Rise | None

    @property
    def share(self) -> float:
        """Of the periods those in which a group was throttled, 0 where they are not known."""
        return self.rise.by / self.periods.by if self.periods is not None and self.periods.by else 0.0

    @property
    def of(self) -> str:
        """`` of 106 periods``, or nothing."""
        return f" of {self.periods.by:,} periods" if self.periods is not None and self.periods.by else ""

    @property
    def often(self) -> bool:
        """Whether it explains late answers better than an application that is slow by itself."""
        return self.rise.by >= OFTEN_LEAST and self.share >= OFTEN_SHARE


def throttled_at(facts: Facts, finding: SlowAnswer) -> Throttled | None:
    """None where the listings of the server's host do not show."""
    kernel = facts.kernel_at(finding.server)
    rise = counter_rise(kernel, "cpu-stat", "nr_throttled")
    return None if rise is None else Throttled(rise, counter_rise(kernel, "cpu-stat", "nr_periods"))


def slow_answers(
    facts: Facts, findings: Sequence[Case], cause: str, title: str, references: tuple[str, ...]
) -> list[Hypothesis]:
    """One per finding of late answers with `nr_throttled` of its server's host rising."""
    found = []
    for finding in findings:
        if not isinstance(finding, SlowAnswer):
            continue
        throttled = throttled_at(facts, finding)
        if throttled is not None and throttled.rise.by >= OFTEN_LEAST:
            found.append(_hypothesis(finding, throttled, (cause, title, references)))
    return found


def _hypothesis(
    finding: SlowAnswer, throttled: Throttled, names: tuple[str, str, tuple[str, ...]]
) -> Hypothesis:
    server, lost = finding.target, seconds_text(finding.time_lost_s)
    rise = throttled.rise
    counted = f"cpu.stat: nr_throttled +{rise.by:,}{throttled.of} {rise.between_dumps}."
    late = (
        f"{plural(finding.count, 'request')} were answered slowly although the kernel had acknowledged them."
    )
    return Hypothesis(
        cause=names[0],
        title=names[1],
        role="stall",
        statement=(
            f"{server} responds slowly; its host throttled a cgroup in {rise.by:,}{throttled.of}: probably its CPU "
            "quota."
        ),
        prior=PRIOR,
        steps=(ClaimPart(role="step", text=finding.summary, evidence=list(finding.evidence)),),
        weighed=(
            Weighed(
                1.4 + throttled.share,
                counted,
                line_evidence(rise.lines),
                "each is a period in which a cgroup was throttled",
            ),
            Weighed(
                0.6, late, first_packets(finding), "the network had delivered them: only the program remains"
            ),
        ),
        both_sides=finding.timed_at_server > 0,
        independent=True,
        signs=1,
        findings=(finding.id,),
        time_lost_s=finding.time_lost_s,
        explains=frames_of(finding),
        rivals=(
            RivalPart(
                cause="slow-server",
                title="Slow server",
                status="possible",
                because="cpu.stat does not show whether the cgroup is the server's",
                command="cat /proc/PID/cgroup",
            ),
        ),
        missing=(),
        remedies=(
            RemedyPart(
                what="Raise or remove the CPU limit of the server's cgroup",
                applies_to=f"the processes of {server}",
                check="cat /sys/fs/cgroup/cpu.stat   # nr_throttled and throttled_usec rise",
                proof="nr_throttled stays flat under the same load, and responses come in time",
                undo="restore the previous limit",
                side_effect="the cgroup can take CPU time from others",
            ),
        ),
        references=names[2],
        refutation="it would be refuted by an nr_throttled that stays flat while responses are slow",
        figures=((TIME_LOST, lost), ("late", f"{finding.count:,}")),
    )
