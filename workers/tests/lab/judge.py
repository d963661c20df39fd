"""What `stallscope analyze` says about an instance, held against its expect.json."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from workers.tests.lab.incident import CONFIDENT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path


@dataclass
class Verdict:
    """One case: what was said, and what of it is wrong."""

    name: str
    said: list[tuple[str, float]]
    """Causes with their confidence, as the report ranks them."""
    missed: list[str] = field(default_factory=list)
    false: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        said = ", ".join(f"{cause} {confidence:.2f}" for cause, confidence in self.said) or "nothing"
        wrong = "; ".join([*self.false, *self.missed])
        return f"{'MISS' if wrong else 'ok  '} {self.name}: said {said}{' | ' + wrong if wrong else ''}"

    @property
    def holds(self) -> bool:
        """Nothing was missed and nothing false was said."""
        return not self.missed and not self.false


def judge(folder: Path, first_case_only: bool = False) -> list[Verdict]:
    """Analyze the inputs of each case, and compare."""
    cases = json.loads((folder / "expect.json").read_text())["cases"]
    return [
        compare(case, analyze(folder, case["inputs"])) for case in cases[: 1 if first_case_only else None]
    ]


def analyze(folder: Path, inputs: list[str]) -> dict[str, Any]:
    """The report of the command line on some files of a folder."""
    files = sorted({str(path) for pattern in inputs for path in folder.glob(pattern)})
    command = [sys.executable, "-m", "workers.cli.main", "analyze", *files, "--json", "-"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"analyze ended with {done.returncode}: {done.stderr.strip()}")
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def compare(case: dict[str, Any], report: dict[str, Any]) -> Verdict:
    """Hold a report against a case."""
    verdict = Verdict(case["name"], [(d["cause"], d["confidence"]) for d in report["diagnoses"]])
    wanted = case.get("top_cause", ())
    top, confidence = verdict.said[0] if verdict.said else ("nothing", 0.0)
    if wanted and top not in wanted:
        verdict.missed.append(f"first said: {top}, not {' or '.join(wanted)}")
    elif wanted and confidence < case["min_confidence"]:
        verdict.missed.append(f"{top} only {confidence:.2f}")
    named = {cause for cause, _ in verdict.said}
    verdict.missed += [f"not said: {cause}" for cause in case.get("causes", ()) if cause not in named]
    forbidden = set(case["forbid_causes"])
    verdict.false += [
        f"false: {c} {sure:.2f}" for c, sure in verdict.said if c in forbidden and sure >= CONFIDENT
    ]
    verdict.missed += wrong_counts(case.get("findings", {}), report["findings"])
    return verdict


def wrong_counts(bounds: Mapping[str, Sequence[int]], findings: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Kinds of findings whose number is not what was measured."""
    for kind, (low, high) in bounds.items():
        count = sum(f["count"] for f in findings if f["kind"] == kind and f["severity"] != "info")
        if not low <= count <= high:
            yield f"{kind}: {count}, not {low} to {high}"
