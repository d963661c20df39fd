"""`make truth`: what `analyze` says about instances of every incident, as the page docs/truth.md."""

from __future__ import annotations

import argparse
import json
import subprocess
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workers.tests.lab.evidence import ANY_CAUSE, Instance, named, report_on
from workers.tests.lab.incident import CONFIDENT, all_causes, all_incidents
from workers.tests.lab.instance import REPOSITORY, make_instance, why_not

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PAGE = REPOSITORY / "docs" / "truth.md"
LAB = REPOSITORY / ".cache" / "lab"
SEEDS = (101, 102, 103, 104, 105)
BY_HAND = "## Public captures"
"""From here on the page is written by people, and kept."""


@dataclass(frozen=True)
class Said:
    """What a report on all evidence of one instance said at 0.5 or more, against its truth."""

    incident: str
    cause: str | None
    seed: int
    right: list[float]
    """Confidences of causes that are true, or that the instance allows."""
    false: list[tuple[str, float]]

    @property
    def missed(self) -> bool:
        return self.cause is not None and not self.right


def said_of(instance: Instance) -> Said:
    """Analyze the first case: everything."""
    report = report_on(instance.files(instance.cases[0]))
    found = [d for d in named(report) if d.cause != ANY_CAUSE]
    true = sorted((d.confidence for d in found if d.cause in instance.right), reverse=True)
    surest = {d.cause: d.confidence for d in sorted(found, key=lambda d: d.confidence)}
    false = sorted((cause, sure) for cause, sure in surest.items() if cause not in instance.right)
    truth = instance.truth
    return Said(truth["scenario"], truth["cause"], truth["seed"], true, false)


def run_all(seeds: Iterable[int], results: Path) -> list[Said]:
    """Make what is not there yet, analyze what `results` does not hold yet; it grows line by line, so that a run may be
    cut short."""
    kept = (
        [Said(**json.loads(line)) for line in results.read_text().splitlines()] if results.is_file() else []
    )
    have = {(each.incident, each.seed) for each in kept}
    results.parent.mkdir(parents=True, exist_ok=True)
    with results.open("a") as lines:
        for seed in seeds:
            for name in all_incidents():
                folder = LAB / f"{name}-s{seed}"
                if (name, seed) in have:
                    continue
                if not (folder / "expect.json").is_file():
                    make_instance(name, seed, folder)
                said = said_of(Instance(folder))
                kept.append(said)
                lines.write(json.dumps(asdict(said)) + "\n")
                lines.flush()
                print(said, flush=True)
    return kept


def page(said: list[Said], commit: str) -> str:
    """The page up to what is written by hand."""
    seeds = sorted({each.seed for each in said})
    false = sum(len(each.false) for each in said)
    missed = sum(each.missed for each in said)
    head = f"""# What is said, against what is true

Written by `make truth`: instances of the [incident lab](../workers/tests/lab/README.md), made on this kernel in
network namespaces, each with all its captures and listings analyzed at once. The truth is counted apart from the
captures. *Named*: a cause that is true of the instance has a confidence of {CONFIDENT} or more; *missed*: none has;
*false*: a cause that is not true has. One run takes {RUN_TAKES}.

Behavior of commit `{commit}`; seeds {", ".join(map(str, seeds))}; {len(said)} instances, {missed} missed,
{false} false.

"""
    return "".join([head, *_causes(said), *_look_alikes(said), *_not_made(said)])


RUN_TAKES = "about 10 minutes for each seed, most of it waiting for time-outs"


def _causes(said: list[Said]) -> Iterator[str]:
    yield "## Causes\n\n| cause | incident | instances | named | confidence | missed | false |\n"
    yield "| --- | --- | --- | --- | --- | --- | --- |\n"
    for (cause, incident), group in _grouped(said):
        if cause:
            sure = sorted(each.right[0] for each in group if each.right)
            bounds = f"{sure[0]:.2f} to {sure[-1]:.2f}" if sure else "none"
            missed = [each.seed for each in group if each.missed]
            yield (
                f"| `{cause}` | {incident} | {len(group)} | {len(sure)} | {bounds} | {_listed(missed)} | "
                f"{_false(group)} |\n"
            )


def _look_alikes(said: list[Said]) -> Iterator[str]:
    yield "\n## Healthy twins and look-alikes\n\n| incident | what it is | instances | false |\n"
    yield "| --- | --- | --- | --- |\n"
    for (cause, incident), group in _grouped(said):
        if not cause:
            yield f"| {incident} | {all_incidents()[incident].what} | {len(group)} | {_false(group)} |\n"


def _not_made(said: list[Said]) -> Iterator[str]:
    """The sentences of the lab's own page."""
    readme = (Path(__file__).parent / "README.md").read_text()
    made = {each.cause for each in said}
    yield "\n## Causes that the lab does not make\n\n| cause | why |\n| --- | --- |\n"
    for cause in all_causes():
        if cause not in made:
            row = next((line for line in readme.splitlines() if line.startswith(f"| `{cause}` |")), None)
            yield f"{row or f'| `{cause}` | not run |'}\n"


def _grouped(said: list[Said]) -> list[tuple[tuple[str, str], list[Said]]]:
    groups: dict[tuple[str, str], list[Said]] = defaultdict(list)
    for each in said:
        groups[each.cause or "", each.incident].append(each)
    return sorted(groups.items())


def _false(group: list[Said]) -> str:
    found: dict[str, list[float]] = defaultdict(list)
    for each in group:
        for cause, sure in each.false:
            found[cause].append(sure)
    told = [f"`{c}` {max(sure):.2f} ({len(sure)} of {len(group)})" for c, sure in sorted(found.items())]
    return ", ".join(told) or "0"


def _listed(seeds: list[int]) -> str:
    return f"{len(seeds)} (seeds {', '.join(map(str, seeds))})" if seeds else "0"


def _commit() -> str:
    command = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout.strip()


def main() -> int:
    """Make, analyze, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, action="append", help="may be given several times")
    options = parser.parse_args()
    reason = why_not()
    if reason:
        parser.exit(2, f"No incident can be made here: {reason}.\n")
    commit = _commit()
    said = run_all(options.seed or SEEDS, LAB / f"said-{commit}.jsonl")
    _, found, by_hand = (PAGE.read_text() if PAGE.is_file() else "").partition(BY_HAND)
    PAGE.write_text(page(said, commit) + (f"\n{found}{by_hand}" if found else ""))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
