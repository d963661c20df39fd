"""``python -m workers.decode.bench.detectors``: CPU time of facts, detectors and diagnosis against that of decoding."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from backend.forensics.detection.discovery import discover_detectors
from backend.forensics.diagnosis.run import diagnose, discover_causes
from backend.forensics.evidence.facts import gather_facts
from workers.decode.bench.measure import measure
from workers.decode.captures import decode_capture

_LISTED_FROM_S: Final = 0.05
_Result = TypeVar("_Result")


class _Clock:
    """CPU seconds of this process by part, in the order they were run."""

    def __init__(self) -> None:
        self.parts: dict[str, float] = {}

    def run(self, what: str, part: Callable[[], _Result]) -> _Result:
        before = time.process_time()
        result = part()
        self.parts[what] = time.process_time() - before
        return result


def compare(path: Path) -> list[str]:
    """Lines of Markdown: what each part of an analysis of one capture costs, without a packet table."""
    detectors = discover_detectors()
    discover_causes()
    clock = _Clock()
    capture = clock.run(
        "decoding", lambda: decode_capture(path, name=path.name, sha256="", packets_path=None)
    )
    facts = clock.run("facts", lambda: gather_facts([capture], []))
    findings = [
        finding
        for detector in detectors
        for finding in clock.run(detector.kind, lambda d=detector: d.detect(facts)).findings  # type: ignore[misc]
    ]
    together = sum(clock.parts.values()) - clock.parts["decoding"]
    clock.run("diagnosis", lambda: diagnose(facts, findings))
    rows = [
        f"| {what} | {cost:.2f} | {cost / clock.parts['decoding']:.2f} |"
        for what, cost in clock.parts.items()
        if cost >= _LISTED_FROM_S
    ]
    return [
        f"| {path.stem}: {capture.packets:,} packets, {len(capture.connections):,} connections | CPU s | × decoding |",
        "| --- | ---: | ---: |",
        *rows,
        f"| facts and all detectors | {together:.2f} | {together / clock.parts['decoding']:.2f} |",
    ]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packets", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--traffic", choices=("long", "short", "scan"), default="short")
    parser.add_argument("--capture", type=Path, help="measures this capture instead, in this process")
    options = parser.parse_args()
    if options.capture is not None:
        print("\n".join(compare(options.capture)))  # noqa: T201
        return
    measure([sys.executable, "-m", "workers.decode.warm"])
    with tempfile.TemporaryDirectory(prefix="stallscope-bench-") as folder:
        for packets in options.packets:
            path = Path(folder) / f"{options.traffic}-{packets}.pcap"
            generator = "workers.decode.bench.generate"
            measure([sys.executable, "-m", generator, str(path), str(packets), options.traffic])
            print("\n".join(compare(path)))  # noqa: T201
            path.unlink()


if __name__ == "__main__":
    main()
