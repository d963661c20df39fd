"""``python -m workers.decode.bench.detectors CAPTURE``: CPU time of decoding, facts, detectors, causes and the report's
lists, each part by itself."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Final, Protocol, TypeVar

import numpy as np

from backend.forensics.analyze import ReportLists
from backend.forensics.captures import Capture
from backend.forensics.cases.case import Case
from backend.forensics.detection.discovery import discover_detectors
from backend.forensics.diagnosis import run as diagnosis
from backend.forensics.diagnosis.contract import Hypothesis
from backend.forensics.diagnosis.named_findings import NamedFindings
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.evidence.kernel.counters import DumpInput
from backend.forensics.isolation import Isolation
from backend.forensics.report import FindingPart
from workers.decode.captures import decode_capture
from workers.garbage import collect_rarely, keep_freed_memory

_LISTED_FROM_RATIO: Final = 0.05
"""Of the time of decoding: parts that cost less are in their group's sum only."""
GROUPS: Final = ("facts", "detectors", "causes", "report")
_Result = TypeVar("_Result")
Parts = dict[str, float]
"""CPU seconds by part: ``decoding``, ``fact …``, ``detector …``, ``cause …``, ``report …``."""


class Meter(Protocol):
    """Runs a part, and keeps what it cost."""

    def run(self, what: str, part: Callable[[], _Result]) -> _Result: ...


class _Clock:
    """CPU seconds of this process by part, in the order they were run."""

    def __init__(self) -> None:
        self.parts: Parts = {}

    def run(self, what: str, part: Callable[[], _Result]) -> _Result:
        before = time.process_time()
        result = part()
        self.parts[what] = time.process_time() - before
        return result


def clock_parts(path: Path) -> tuple[Parts, int]:
    """(what each part of an analysis of one capture costs, without a packet table; number of connections). Every fact
    is gathered by itself before anybody asks for it."""
    discover_detectors(), diagnosis.discover_causes()
    clock = _Clock()
    capture = clock.run(
        "decoding", lambda: decode_capture(path, name=path.name, sha256="", packets_path=None)
    )
    run_parts(capture, clock)
    return clock.parts, len(capture.connections)


def run_parts(capture: Capture, meter: Meter, dumps: Sequence[DumpInput] = ()) -> None:
    """Every fact, detector and cause, each by itself and after what it asks for."""
    facts = meter.run("fact (joined captures)", lambda: gather_facts([capture], dumps))
    for name in [n for n, value in vars(Facts).items() if isinstance(value, cached_property)]:
        meter.run(f"fact {name}", partial(getattr, facts, name))
    # Counted for a vantage point when it is first asked about: no cost of the cause that happens to ask first.
    data, no_hosts = facts.data_of_hosts, np.empty(0, np.uint64)
    meter.run(
        "fact data of vantage points", lambda: [data.count(at, no_hosts) for at in facts.attempts.places]
    )
    findings: list[FindingPart] = []
    cases: list[Case] = []
    for detector in discover_detectors():
        found = meter.run(f"detector {detector.kind}", partial(detector.detect, facts))
        findings.extend(found.findings)
        cases.extend(found.cases)
    named = NamedFindings.of(cases)
    hypotheses: list[Hypothesis] = []
    for name, assess in diagnosis.discover_causes():
        hypotheses.extend(meter.run(f"cause {name}", partial(assess, facts, named)))
    meter.run("cause (all settled)", lambda: diagnosis.answer_from(facts, named, hypotheses, Isolation()))
    meter.run("report lists", lambda: ReportLists(facts, findings, (), Isolation()))


def grouped(parts: Parts) -> Parts:
    """Decoding and the sums of the three groups, then the parts that are dear."""
    sums = {"decoding": parts["decoding"]}
    for group in GROUPS:
        sums[group] = sum(cost for what, cost in parts.items() if what.startswith(group.rstrip("s")))
    dear = _LISTED_FROM_RATIO * parts["decoding"]
    return sums | {w: c for w, c in parts.items() if c >= dear and w != "decoding"}


def main() -> None:
    """The command line: measures one capture, in this process, as JSON."""
    parser = argparse.ArgumentParser(prog="python -m workers.decode.bench.detectors", description=__doc__)
    parser.add_argument("capture", type=Path)
    collect_rarely()  # as `stallscope analyze` does
    keep_freed_memory()
    parts, connections = clock_parts(parser.parse_args().capture)
    print(json.dumps({"connections": connections, "parts": parts}))  # noqa: T201


if __name__ == "__main__":
    main()
