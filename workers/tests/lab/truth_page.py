"""`make truth`: what `analyze` says about instances of every incident, as the page docs/truth.md."""

from __future__ import annotations

import argparse
import os
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from backend.forensics.wording import plural
from workers.tests.lab import causes_page
from workers.tests.lab.incident import CONFIDENT, all_causes, all_incidents
from workers.tests.lab.instance import REPOSITORY, is_made, make_instances, why_not
from workers.tests.lab.said import Said, judge_all

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = REPOSITORY / "docs" / "truth.md"
LAB = REPOSITORY / ".cache" / "lab"
SEEDS = (201, 202, 203, 204, 205)
MADE_AT_ONCE = 4
"""Most of an instance's time is waiting for time-outs."""
BY_HAND = "## Public captures"
"""From here on the page is written by people, and kept."""


def page(said: list[Said], commit: str) -> str:
    """The page up to what is written by hand."""
    seeds = sorted({each.seed for each in said})
    false, of_pauses = (
        sum(map(len, each)) for each in zip(*((x.false, x.of_pauses) for x in said), strict=True)
    )
    missed = sum(each.missed for each in said)
    fewer = f" of the {len(SEEDS)} that `make truth` makes by itself" if len(seeds) < len(SEEDS) else ""
    head = f"""# What is said, against what is true

Written by `make truth`: instances of the [incident lab](../workers/tests/lab/README.md), made on {_kernel()} in
network namespaces, each with all its captures and listings analyzed at once. The truth is counted apart from the
captures. *Named*: the cause of the incident has a confidence of {CONFIDENT} or more; *missed*: it has not;
*false*: a cause that is not true of the instance has. Programs of an instance measure how long this machine held them;
a cause that rests on frames of such a pause is true of it, and counted apart.

Behavior of commit `{commit}`; seeds {", ".join(map(str, seeds))}{fewer}; {len(said)} instances, {missed} missed,
{false} false, {of_pauses} true of a measured pause of this machine; {_miscounted(said)}.

"""
    return "".join([head, *_causes(said), *_look_alikes(said), *_not_made(said)])


def _causes(said: list[Said]) -> Iterator[str]:
    yield "## Causes\n\n| cause | incident | instances | named | confidence | missed | false |\n"
    yield "| --- | --- | --- | --- | --- | --- | --- |\n"
    for (cause, incident), group in _grouped(said):
        if cause:
            sure = sorted(each.named for each in group if each.named is not None)
            bounds = f"{sure[0]:.2f} to {sure[-1]:.2f}" if sure else "none"
            missed = [each.seed for each in group if each.missed]
            yield (
                f"| `{cause}` | {incident} | {len(group)} | {len(sure)} | {bounds} | {_listed(missed)} | "
                f"{_false(group)} |\n"
            )


def _look_alikes(said: list[Said]) -> Iterator[str]:
    yield "\n## Healthy twins and look-alikes\n\nWhat was said with its highest confidence, true or not.\n\n"
    yield "| incident | what it is | instances | said | false |\n| --- | --- | --- | --- | --- |\n"
    for (cause, incident), group in _grouped(said):
        if not cause:
            what = all_incidents()[incident].what
            said_here = _counted(group, [each.said for each in group])
            yield f"| {incident} | {what} | {len(group)} | {said_here or 'nothing'} | {_false(group)} |\n"


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
    false = _counted(group, [each.false for each in group])
    of_pauses = _counted(group, [each.of_pauses for each in group])
    held_ms = max((ms for each in group for ms in each.held_ms.values()), default=0)
    apart = (
        f"0 (true: {of_pauses}, the machine held a program for up to {held_ms:.0f} ms)" if of_pauses else "0"
    )
    return false or apart


def _counted(group: list[Said], said: list[dict[str, float]]) -> str:
    found: dict[str, list[float]] = defaultdict(list)
    for each in said:
        for cause, sure in each.items():
            found[cause].append(sure)
    return ", ".join(
        f"`{c}` {max(sure):.2f} ({len(sure)} of {len(group)})" for c, sure in sorted(found.items())
    )


def _miscounted(said: list[Said]) -> str:
    wrong = [f"{each.incident} seed {each.seed} ({count})" for each in said for count in each.counts]
    differ = plural(len(wrong), "number of findings", "numbers of findings")
    return f"{differ} other than the instance's sockets and counters say{': ' if wrong else ''}{', '.join(wrong)}"


def _listed(seeds: list[int]) -> str:
    return f"{len(seeds)} (seeds {', '.join(map(str, seeds))})" if seeds else "0"


def _kernel() -> str:
    """``Linux 6.18.44``, without what a distribution adds."""
    return f"Linux {os.uname().release.partition('-')[0]}"


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    return subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout.strip()


def main() -> int:
    """Make what is not there yet, analyze all of it, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, action="append", help="may be given several times")
    parser.add_argument("--kept", type=Path, default=LAB, help="where instances are kept (.cache/lab)")
    parser.add_argument("--at-once", type=int, default=MADE_AT_ONCE, help="made side by side")
    options = parser.parse_args()
    plan = [(name, seed) for seed in options.seed or SEEDS for name in all_incidents()]
    reason = None if all(is_made(options.kept, *each) for each in plan) else why_not()
    if reason:
        parser.exit(2, f"No incident can be made here: {reason}.\n")
    failed = make_instances(plan, options.kept, options.at_once)
    if failed:
        parser.exit(1, "\n".join(failed) + "\n")
    said = _judged(plan, options.kept)
    _, found, by_hand = (PAGE.read_text() if PAGE.is_file() else "").partition(BY_HAND)
    PAGE.write_text(page(said, _commit()) + (f"\n{found}{by_hand}" if found else ""))
    causes_page.main()
    return 0


def _judged(plan: list[tuple[str, int]], root: Path) -> list[Said]:
    """Of one commit what was judged is kept; of changes that are not committed nothing is."""
    commit = _commit()
    results = root / f"said-{commit}.jsonl"
    if commit.endswith("dirty"):
        results.unlink(missing_ok=True)
    return judge_all(plan, root, results, os.cpu_count() or 1)


if __name__ == "__main__":
    raise SystemExit(main())
