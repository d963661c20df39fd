"""``python -m workers.decode.bench``: generated captures, tshark and Stallscope in one run, as a table."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from workers.decode.bench.measure import CommandFailed, Cost, measure

_SMALL: Final = 1_000_000
_LARGE: Final = 10_000_000
_MODULE: Final = "workers.decode.bench.decode_only"


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)  # noqa: T201


def _capture(folder: Path, packets: int) -> Path:
    path = folder / f"{packets}.pcap"
    if not path.exists():
        _say(f"Generating {packets:,} packets …")
        measure([sys.executable, "-m", "workers.decode.bench.generate", str(path), str(packets)])
    return path


def _row(what: str, packets: int, cost: Cost) -> str:
    rate_cpu, rate_wall = packets / cost.cpu_s, packets / cost.wall_s
    return (
        f"| {what} | {packets:,} | {cost.wall_s:.2f} | {cost.cpu_s:.2f} | {rate_wall:,.0f} | {rate_cpu:,.0f} "
        f"| {cost.peak_mb:,.0f} |"
    )


class Table:
    """Rows as they are measured."""

    def __init__(self) -> None:
        self.rows = [
            "| what | packets | wall s | CPU s | packets/s | packets/CPU s | peak memory MB |",
            "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
        ]

    def add(self, what: str, packets: int, run: Callable[[], Cost]) -> Cost | None:
        """Measures one thing; a failure becomes a row that says so."""
        _say(f"Measuring: {what}, {packets:,} packets …")
        try:
            cost = run()
        except (CommandFailed, OSError) as failure:
            self.rows.append(f"| {what} | {packets:,} | failed: {str(failure).splitlines()[-1]} | | | | |")
            return None
        self.rows.append(_row(what, packets, cost))
        return cost


def _measure_stallscope(table: Table, capture: Path, packets: int, folder: Path) -> dict[str, Cost | None]:
    decode = [sys.executable, "-m", _MODULE, str(capture)]
    parquet = str(folder / "packets.parquet")
    report = ["--json", str(folder / "report.json")]
    analyze = [sys.executable, "-m", "workers.cli.main", "analyze", str(capture), *report]
    commands = {
        "decode, no packet table": decode,
        "decode with Parquet": [*decode, parquet],
        "`stallscope analyze`": analyze,
    }
    return {
        what: table.add(what, packets, lambda command=command: measure(command))  # type: ignore[misc]
        for what, command in commands.items()
    }


def _ratios(ours: dict[str, Cost | None], large: int, reading: Cost | None, tshark_rate: float) -> list[str]:
    """How many times tshark's packets per CPU second, and how many times the CPU time of reading the file."""
    rows = ["| 10 M packets | × tshark's speed | × the time of reading |", "| --- | ---: | ---: |"]
    for what, cost in ours.items():
        if cost is None:
            continue
        to_tshark = f"{large / cost.cpu_s / tshark_rate:.1f}" if tshark_rate else "no tshark"
        to_reading = f"{cost.cpu_s / reading.cpu_s:.1f}" if reading else ""
        rows.append(f"| {what} | {to_tshark} | {to_reading} |")
    return rows


def bench(folder: Path, small: int, large: int) -> list[str]:
    """Measures everything; lines of Markdown."""
    # In children: a process starts with its parent's peak memory, so this one stays small.
    measure([sys.executable, "-m", "workers.decode.warm"])
    table = Table()
    small_capture, large_capture = _capture(folder, small), _capture(folder, large)
    reading = table.add("reading the file (`cat`)", large, lambda: measure(["cat", str(large_capture)]))
    tshark = shutil.which("tshark")
    reference = None
    if tshark is not None:
        command = [tshark, "-n", "-q", "-z", "conv,tcp", "-r", str(small_capture)]
        reference = table.add("`tshark -q -z conv,tcp`", small, lambda: measure(command))
    _measure_stallscope(table, small_capture, small, folder)
    ours = _measure_stallscope(table, large_capture, large, folder)
    return [*table.rows, "", *_ratios(ours, large, reading, small / reference.cpu_s if reference else 0.0)]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m workers.decode.bench", description=__doc__)
    parser.add_argument("--folder", type=Path, help="keeps the generated captures (2.6 GB) for the next run")
    parser.add_argument("--small", type=int, default=_SMALL)
    parser.add_argument("--large", type=int, default=_LARGE)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="stallscope-bench-") as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        print("\n".join(bench(folder, options.small, options.large)))  # noqa: T201


if __name__ == "__main__":
    main()
