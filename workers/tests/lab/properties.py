"""What holds for every report, however much evidence is given: each broken promise of an instance in one line."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from random import Random
from typing import TYPE_CHECKING

from backend.forensics.isolation import Isolation
from workers.tests.lab.evidence import ANY_CAUSE, Instance, named, read, report_on, sureness, without_each
from workers.tests.lab.strangers import strangers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from typing import Any

    from backend.forensics.report import DiagnosisPart, Report

SLACK = 0.005
"""Confidences have three digits; a hundredth less is not "less sure"."""
SHUFFLES = 2
WHERE, WHY = "return-path-loss", "reverse-path-filter"
"""One says where an answer was lost, the other why it was lost there. The first is true wherever the second is."""
COMPETITORS = frozenset(("snat-port-race", "time-wait-collision"))
"""The SYN that a lost one competed with is cited beside it, and left with a port that the server still held."""
LOSES_OR_DELAYS = frozenset(("loss", "stall"))
"""Roles of causes that say why a packet was lost or late: it was so for one reason. Of the others one says how often
something was asked, one what a service is about to lose."""


def broken_promises(instance: Instance, scratch: Path, *, short: bool = False) -> list[str]:
    """All that does not hold; `short` looks at the first case and leaves out what needs a report for each file."""
    Isolation.strict = True
    broken: dict[str, None] = {}
    cases = instance.cases[: 1 if short else None]
    for case in cases:
        files = instance.files(case)
        whole = report_on(files)
        if whole is None:
            continue
        found = [f"{cause} {sure:.2f} is not true" for cause, sure in said_wrong(instance, whole).items()]
        found += [*_order(files, whole), *_strangers(files, whole, scratch), *exclusive(whole)]
        if case is cases[0]:
            found += _other_hosts(instance, files, whole)
        if not short:
            found += _removed(instance, files, whole)
        broken.update(dict.fromkeys(f"{case['name']}: {each}" for each in found))
    return list(broken)


def said_wrong(instance: Instance, report: Report | None) -> dict[str, float]:
    """Causes ≥ 0.5 that are not true of the instance."""
    found = {d.cause: d.confidence for d in named(report)}
    right = instance.right | ({WHERE} if WHY in instance.right else set())
    return {c: s for c, s in found.items() if c != ANY_CAUSE and c not in right}


def _order(files: tuple[Path, ...], whole: Report) -> Iterator[str]:
    for number in range(SHUFFLES if len(files) > 1 else 0):
        shuffled = list(files)
        Random(number).shuffle(shuffled)
        again = report_on(shuffled)
        if again is None or again.model_dump_json() != whole.model_dump_json():
            yield f"another report in the order {', '.join(path.name for path in shuffled)}"
            return


def _removed(instance: Instance, files: tuple[Path, ...], whole: Report) -> Iterator[str]:
    """A right cause must not become a wrong one, nor silence a false one."""
    before = said_wrong(instance, whole)
    for path, rest in without_each(files):
        for cause, sure in said_wrong(instance, report_on(rest)).items():
            if cause not in before:
                yield f"without {path.name}: {cause} {sure:.2f}"


def _strangers(files: tuple[Path, ...], whole: Report, scratch: Path) -> Iterator[str]:
    for what, added in strangers(files, scratch):
        with_them = report_on([*files, *added])
        theirs = frozenset(path.name for path in added) if _without_packets(whole) else frozenset()
        after = verdicts(with_them, theirs)
        if after != verdicts(whole):
            yield f"with {what}: {_difference(verdicts(whole), after)}"


def _without_packets(report: Report) -> bool:
    """Then the report is about every host that is listed, the stranger too: what it says of that one alone is true."""
    return not any(part.kind == "capture" for part in report.inputs)


def _other_hosts(instance: Instance, files: tuple[Path, ...], whole: Report) -> Iterator[str]:
    """Listings of every other host make no right cause less sure, and name no wrong one."""
    by_host: dict[str, list[Path]] = defaultdict(list)
    others = []
    for path in files:
        ingested = read(path)
        if ingested is not None and ingested.capture is None and ingested.part.host:
            by_host[ingested.part.host].append(path)
        else:
            others.append(path)
    if len(by_host) < 2:
        return
    all_sure, wrong = sureness(whole), said_wrong(instance, whole)
    for host, listings in sorted(by_host.items()):
        alone = report_on([*others, *listings])
        sure = sureness(alone)
        # A general cause may give way to the specific one that the other listings show, where that is surer.
        shown = {right for right in instance.right if all_sure.get(right, 0.0) > sure.get(right, 0.0) + SLACK}
        best = max((all_sure[right] for right in shown), default=0.0)
        for cause in sorted(instance.right & sure.keys()):
            if sure[cause] >= 0.5 and max(best, all_sure.get(cause, 0.0)) < sure[cause] - SLACK:
                yield (
                    f"{cause} {sure[cause]:.2f} with the listings of {host}, {all_sure.get(cause, 0.0):.2f} with all"
                )
        for cause in sorted(wrong.keys() - said_wrong(instance, alone).keys()):
            yield f"{cause} {wrong[cause]:.2f} with all listings, not with those of {host}"


def exclusive(report: Report | None) -> Iterator[str]:
    """Two causes of loss or delay ≥ 0.5 about the same frames: a packet is lost once, and late for one reason."""
    lost = [d for d in named(report) if d.role in LOSES_OR_DELAYS and d.cause != ANY_CAUSE]
    told = [(d.cause, d.confidence, _told_frames(d.model_dump())) for d in lost]
    for (one, sure, frames), (other, as_sure, others) in combinations(told, 2):
        if one != other and frames & others and {one, other} not in ({WHERE, WHY}, COMPETITORS):
            yield f"{one} {sure:.2f} and {other} {as_sure:.2f} about {len(frames & others)} frames"


def _told_frames(diagnosis: dict[str, Any]) -> set[tuple[str, int]]:
    return {
        (part["input"], frame)
        for claim in diagnosis["claims"]
        if claim["role"] != "against"
        for part in claim["evidence"]
        for frame in part["frames"]
    }


def verdicts(report: Report | None, without: frozenset[str] = frozenset()) -> list[tuple[str, str, float]]:
    """What a reader acts on; without what rests on these inputs alone."""
    found = [d for d in (report.diagnoses if report else ()) if not without or _inputs_of(d) - without]
    return sorted((d.cause, d.verdict, round(d.confidence, 3)) for d in found)


def _inputs_of(diagnosis: DiagnosisPart) -> set[str]:
    return {part.input for claim in diagnosis.claims for part in claim.evidence}


def _difference(before: Iterable[object], after: Iterable[object]) -> str:
    old, new = list(before), list(after)
    gone = [each for each in old if each not in new]
    come = [each for each in new if each not in old]
    return f"{gone} became {come}"
