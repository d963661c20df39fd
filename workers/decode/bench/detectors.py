"""``python -m workers.decode.bench.detectors``: CPU time of facts, detectors and causes against that of decoding, and
how it grows with the capture."""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Final, Protocol, TypeVar

from backend.forensics.captures import Capture
from backend.forensics.detection.discovery import discover_detectors
from backend.forensics.diagnosis import run as diagnosis
from backend.forensics.evidence.facts import Facts, gather_facts
from backend.forensics.report import FindingPart
from workers.decode.bench.measure import measure
from workers.decode.bench.scripts import TRAFFIC
from workers.decode.captures import decode_capture

_LISTED_FROM_RATIO: Final = 0.05
"""Of the time of decoding: parts that cost less are in their group's sum only."""
_GROUPS: Final = ("facts", "detectors", "causes")
_WORLD: Final = (
    "short", "scan", "dns", "http", "services", "losses", "resets", "tunnels", "quic", "elephant", "hosts",
    "everything",
)  # fmt: skip
_MODULE: Final = "workers.decode.bench.detectors"
_Result = TypeVar("_Result")
Parts = dict[str, float]
"""CPU seconds by part: ``decoding``, ``fact …``, ``detector …``, ``cause …``."""


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


def clock_parts(path: Path) -> Parts:
    """What each part of an analysis of one capture costs, without a packet table. Every fact is gathered by itself
    before anybody asks for it."""
    discover_detectors(), diagnosis.discover_causes()
    clock = _Clock()
    capture = clock.run(
        "decoding", lambda: decode_capture(path, name=path.name, sha256="", packets_path=None)
    )
    run_parts(capture, clock)
    return clock.parts


def run_parts(capture: Capture, meter: Meter) -> None:
    """Every fact, detector and cause, each by itself and after what it asks for."""
    facts = meter.run("fact (joined captures)", lambda: gather_facts([capture], []))
    for name in [n for n, value in vars(Facts).items() if isinstance(value, cached_property)]:
        meter.run(f"fact {name}", partial(getattr, facts, name))
    findings: list[FindingPart] = []
    for detector in discover_detectors():
        found = meter.run(f"detector {detector.kind}", partial(detector.detect, facts))
        findings.extend(found.findings)
    for name, assess in diagnosis.discover_causes():
        meter.run(f"cause {name}", partial(assess, facts, findings))


def grouped(parts: Parts) -> Parts:
    """Decoding and the sums of the three groups, then the parts that are dear."""
    sums = {"decoding": parts["decoding"]}
    for group in _GROUPS:
        sums[group] = sum(cost for what, cost in parts.items() if what.startswith(group.rstrip("s")))
    dear = _LISTED_FROM_RATIO * parts["decoding"]
    return sums | {w: c for w, c in parts.items() if c >= dear and w != "decoding"}


def table(traffic: str, packets: Sequence[int], measured: Sequence[Parts]) -> list[str]:
    """Lines of Markdown. Growth is that of CPU time from the first size to the last, by that of packets: 1 is
    linear."""
    last = grouped(measured[-1])
    columns = [f"{count:,}: CPU s | × decoding" for count in packets]
    rows = [f"| {traffic} | {' | '.join(columns)} | growth |", "| --- |" + " ---: |" * (2 * len(packets) + 1)]
    for what, cost in last.items():
        costs = [grouped(parts).get(what, parts.get(what, 0.0)) for parts in measured]
        cells = [f"{c:.2f} | {c / p['decoding']:.2f}" for c, p in zip(costs, measured, strict=True)]
        growth = cost / costs[0] / (packets[-1] / packets[0]) if costs[0] >= 0.01 else None
        name = what if what in ("decoding", *_GROUPS) else f"– {what}"
        rows.append(f"| {name} | {' | '.join(cells)} | {f'{growth:.2f}' if growth else ''} |")
    return rows


def _measured(folder: Path, traffic: str, packets: int) -> Parts:
    """In a process of its own: memory of one capture must not cost the next one time."""
    path = folder / f"{traffic}-{packets}.pcap"
    measure([sys.executable, "-m", "workers.decode.bench.generate", str(path), str(packets), traffic])
    command = [sys.executable, "-m", _MODULE, "--capture", str(path)]
    answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    path.unlink()
    parts: Parts = json.loads(answer)
    return parts


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog=f"python -m {_MODULE}", description=__doc__)
    parser.add_argument("--packets", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--traffic", choices=sorted(TRAFFIC), nargs="+", default=_WORLD)
    parser.add_argument("--capture", type=Path, help="measures this capture, in this process, as JSON")
    options = parser.parse_args()
    if options.capture is not None:
        print(json.dumps(clock_parts(options.capture)))  # noqa: T201
        peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
        print(f"{options.capture.stem}: {peak_mb:,.0f} MB at most", file=sys.stderr)  # noqa: T201
        return
    measure([sys.executable, "-m", "workers.decode.warm"])
    with tempfile.TemporaryDirectory(prefix="stallscope-bench-") as folder:
        for traffic in options.traffic:
            measured = [_measured(Path(folder), traffic, packets) for packets in options.packets]
            print("\n".join([*table(traffic, options.packets, measured), ""]), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
