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


def _measure_stallscope(table: Table, capture: Path, packets: int, folder: Path) -> Cost | None:
    decode = [sys.executable, "-m", _MODULE, str(capture)]
    table.add("decode, no packet table", packets, lambda: measure(decode))
    parquet = str(folder / "packets.parquet")
    table.add("decode with Parquet", packets, lambda: measure([*decode, parquet]))
    analyze = [
        sys.executable,
        "-m",
        "workers.cli.main",
        "analyze",
        str(capture),
        "--json",
        str(folder / "report.json"),
    ]
    return table.add("`stallscope analyze`", packets, lambda: measure(analyze))


def bench(folder: Path, small: int, large: int) -> list[str]:
    """Measures everything; lines of Markdown."""
    # In children: a process starts with its parent's peak memory, so this one stays small.
    measure([sys.executable, "-m", "workers.decode.warm"])
    table = Table()
    small_capture, large_capture = _capture(folder, small), _capture(folder, large)
    table.add("reading the file (`cat`)", large, lambda: measure(["cat", str(large_capture)]))
    tshark = shutil.which("tshark")
    reference = None
    if tshark is not None:
        command = [tshark, "-n", "-q", "-z", "conv,tcp", "-r", str(small_capture)]
        reference = table.add("`tshark -q -z conv,tcp`", small, lambda: measure(command))
    _measure_stallscope(table, small_capture, small, folder)
    analysis = _measure_stallscope(table, large_capture, large, folder)
    lines = [*table.rows, ""]
    if reference is not None and analysis is not None:
        factor = (large / analysis.cpu_s) / (small / reference.cpu_s)
        lines.append(f"Packets per CPU second of `stallscope analyze` ÷ those of tshark: {factor:.1f}.")
    elif tshark is None:
        lines.append("tshark is not installed, so there is nothing to compare with.")
    return lines


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
