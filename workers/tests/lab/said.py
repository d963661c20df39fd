"""What reports say about instances of the lab, held against their truth."""

from __future__ import annotations

import json
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from workers.tests.lab.evidence import ANY_CAUSE, Instance, forget, report_on, sureness
from workers.tests.lab.held import Held
from workers.tests.lab.incident import CONFIDENT
from workers.tests.lab.independent import frames_of
from workers.tests.lab.instance import folder_of
from workers.tests.lab.judge import wrong_counts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from backend.forensics.report import DiagnosisPart

SHARE_HELD = 0.5
_NS = 1e9


@dataclass(frozen=True)
class Said:
    """The causes of a report on all evidence of one instance."""

    incident: str
    cause: str | None
    seed: int
    said: dict[str, float]
    """By cause its highest confidence."""
    wanted: list[str]
    """Any of them names the incident; none for a healthy twin or look-alike."""
    true: list[str]
    """These and those that the instance allows."""
    held_ms: dict[str, float]
    """By cause that is true of a measured pause of this machine, how long that was."""
    counts: list[str]
    """Findings whose number is not what the sockets and counters of the instance say."""

    @property
    def named(self) -> float | None:
        """The confidence of the cause that names it, where it is high enough."""
        sure = max((self.said.get(cause, 0.0) for cause in self.wanted), default=0.0)
        return sure if sure >= CONFIDENT else None

    @property
    def missed(self) -> bool:
        return bool(self.wanted) and self.named is None

    @property
    def false(self) -> dict[str, float]:
        """Causes said with confidence that are true of nothing."""
        return {cause: sure for cause, sure in self._untrue() if cause not in self.held_ms}

    @property
    def of_pauses(self) -> dict[str, float]:
        """Causes said with confidence that are true of a measured pause alone."""
        return {cause: sure for cause, sure in self._untrue() if cause in self.held_ms}

    def _untrue(self) -> Iterator[tuple[str, float]]:
        for cause, sure in sorted(self.said.items()):
            if sure >= CONFIDENT and cause not in self.true:
                yield cause, sure


def said_of(folder: Path) -> Said:
    """Analyze the first case: everything."""
    forget()
    instance = Instance(folder)
    case, truth = instance.cases[0], instance.truth
    report = report_on(instance.files(case))
    named = {truth["cause"], *case.get("top_cause", ()), *case.get("causes", ())} - {None}
    said = {cause: sure for cause, sure in sureness(report).items() if cause != ANY_CAUSE}
    held: dict[str, float] = {}
    for each in report.diagnoses if report else ():
        if each.cause not in instance.right and (pause := _pause_of(instance, each)):
            held[each.cause] = round(pause.seconds * 1e3)
    findings = [each.model_dump() for each in report.findings] if report else []
    return Said(
        incident=truth["scenario"],
        cause=truth["cause"],
        seed=truth["seed"],
        said=said,
        wanted=sorted(named),
        true=sorted(instance.right),
        held_ms=held,
        counts=list(wrong_counts(case.get("findings", {}), findings)),
    )


def _pause_of(instance: Instance, diagnosis: DiagnosisPart) -> Held | None:
    """The longest measured pause that most of the cited frames fall into, or follow within its length."""
    pauses = [Held(**each) for each in instance.truth.get("held", ())]
    times = list(_cited_times(instance, diagnosis)) if pauses else []
    near = [[p for p in pauses if abs(at - p.until_wall_s) <= p.seconds] for at in times]
    if not times or sum(map(bool, near)) < SHARE_HELD * len(times):
        return None
    return max((pause for found in near for pause in found), key=lambda pause: pause.seconds)


def _cited_times(instance: Instance, diagnosis: DiagnosisPart) -> Iterator[float]:
    for claim in diagnosis.claims:
        for part in claim.evidence if claim.role != "against" else ():
            for number in part.frames:
                yield frames_of(instance.folder / part.input)[number].time_ns / _NS


def judge_all(plan: Iterable[tuple[str, int]], root: Path, results: Path, at_once: int) -> list[Said]:
    """Analyze each instance that `results` has no line about; it grows line by line, so that a run may be cut short."""
    lines = results.read_text().splitlines() if results.is_file() else []
    kept = {(each.incident, each.seed): each for each in (Said(**json.loads(line)) for line in lines)}
    planned = list(plan)
    with results.open("a") as written, ProcessPoolExecutor(at_once) as pool:
        running = [pool.submit(said_of, folder_of(root, *each)) for each in planned if each not in kept]
        for done in as_completed(running):
            said = done.result()
            kept[said.incident, said.seed] = said
            written.write(json.dumps(asdict(said)) + "\n")
            written.flush()
            if said.missed or said.false or said.of_pauses or said.counts:
                print(said, flush=True)
    return [kept[each] for each in planned]
