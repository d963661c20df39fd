"""``python -m workers.decode.bench.kinds``: what `stallscope analyze` costs by kind of traffic, part by part, beside
tshark and reading of the same file, in one run. Raw numbers as JSON, and a chart."""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from workers.decode.bench.chart import Bar, draw_bars
from workers.decode.bench.detectors import GROUPS, Parts, grouped
from workers.decode.bench.measure import CommandFailed, Cost, measure
from workers.decode.bench.scripts import TRAFFIC

WORLD: Final = (
    "short", "scan", "dns", "http", "services", "losses", "resets", "tunnels", "quic", "elephant", "hosts",
    "everything",
)  # fmt: skip
_TSHARK_MOST: Final = 1_000_000
"""Packets: tshark takes a minute or more for ten times as many, and its rate is the same."""
ALLOWED_MB: Final = 600
ALLOWED_BYTES: Final = 300
_HEAD: Final = (
    "| traffic | packets | connections | decoding | facts | detectors | causes | report | ÷ decoding "
    "| `analyze` | × tshark | × reading | peak MB | allowed MB |",
    "| --- |" + " ---: |" * 13,
)


@dataclass(frozen=True)
class Measured:
    """One capture. CPU seconds of processes of their own; `parts` by name, `None` where it failed or was not run."""

    traffic: str
    packets: int
    connections: int
    parts: Parts
    analyze: Cost | None
    reading: Cost | None
    tshark: Cost | None

    @property
    def judging_ratio(self) -> float:
        """Facts, detectors and causes, by decoding."""
        sums = grouped(self.parts)
        return sum(sums[group] for group in GROUPS[:3]) / sums["decoding"]

    @property
    def allowed_mb(self) -> float:
        return ALLOWED_MB + ALLOWED_BYTES * self.connections / 1e6

    def rate(self, cost: Cost | None) -> float | None:
        """Packets a CPU second."""
        return self.packets / cost.cpu_s if cost is not None and cost.cpu_s else None


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)  # noqa: T201


def _try(command: Sequence[str]) -> Cost | None:
    try:
        return measure(command)
    except (CommandFailed, OSError) as failure:
        _say(f"  failed: {str(failure).splitlines()[-1]}")
        return None


def measure_kind(folder: Path, traffic: str, packets: int) -> Measured:
    """Each command in a process of its own: memory of one must not cost the next one time."""
    path = folder / f"{traffic}-{packets}.pcap"
    _say(f"{traffic}, {packets:,} packets")
    measure([sys.executable, "-m", "workers.decode.bench.generate", str(path), str(packets), traffic])
    parts = [sys.executable, "-m", "workers.decode.bench.detectors", str(path)]
    answer = subprocess.run(parts, check=True, stdout=subprocess.PIPE, text=True).stdout
    counted = json.loads(answer)
    report = str(folder / "report.json")
    tshark = shutil.which("tshark") if packets <= _TSHARK_MOST else None
    found = Measured(
        traffic,
        packets,
        counted["connections"],
        counted["parts"],
        _try([sys.executable, "-m", "workers.cli.main", "analyze", str(path), "--json", report]),
        _try(["cat", str(path)]),
        _try([tshark, "-n", "-q", "-z", "conv,tcp", "-r", str(path)]) if tshark else None,
    )
    path.unlink()
    return found


def _times(ours: float | None, theirs: float | None) -> str:
    return f"{ours / theirs:.1f}" if ours and theirs else ""


def _row(each: Measured, tshark_rate: float | None) -> str:
    sums, ours = grouped(each.parts), each.rate(each.analyze)
    costs = [f"{sums[name]:.2f}" for name in ("decoding", *GROUPS)]
    cells = [
        each.traffic,
        f"{each.packets:,}",
        f"{each.connections:,}",
        *costs,
        f"{each.judging_ratio:.2f}",
        f"{each.analyze.cpu_s:.2f}" if each.analyze else "failed",
        _times(ours, tshark_rate),
        _times(each.rate(each.reading), ours),
        f"{each.analyze.peak_mb:,.0f}" if each.analyze else "",
        f"{each.allowed_mb:,.0f}",
    ]
    return f"| {' | '.join(cells)} |"


def _tshark_rate(measured: Sequence[Measured], traffic: str) -> float | None:
    rates = [each.rate(each.tshark) for each in measured if each.traffic == traffic]
    return next((rate for rate in rates if rate), None)


def _dear_parts(measured: Sequence[Measured]) -> list[str]:
    """Parts above a twentieth of decoding, of the largest captures."""
    largest = max(each.packets for each in measured)
    lines = ["", f"Parts above a twentieth of decoding, {largest:,} packets, CPU s:", ""]
    for each in measured:
        if each.packets == largest:
            dear = [(w, c) for w, c in grouped(each.parts).items() if w not in ("decoding", *GROUPS)]
            shown = ", ".join(f"{what} {cost:.2f}" for what, cost in sorted(dear, key=lambda part: -part[1]))
            lines.append(f"- {each.traffic}: {shown or 'none'}")
    return lines


def table(measured: Sequence[Measured]) -> list[str]:
    """Lines of Markdown."""
    rows = [_row(each, _tshark_rate(measured, each.traffic)) for each in measured]
    return [*_HEAD, *rows, *_dear_parts(measured)]


def chart(measured: Sequence[Measured], before: Sequence[dict[str, object]]) -> str:
    """SVG: packets a CPU second by kind, of the largest capture of each."""
    largest = {each.traffic: each for each in sorted(measured, key=lambda each: each.packets)}
    earlier = {(row["traffic"], row["packets"]): row["packets_a_cpu_s"] for row in before}
    bars = {
        traffic: (
            Bar("reading the file", each.rate(each.reading)),
            Bar("stallscope analyze", each.rate(each.analyze)),
            Bar("the same before", earlier.get((traffic, each.packets))),  # type: ignore[arg-type]
            Bar("tshark -q -z conv,tcp", _tshark_rate(measured, traffic)),
        )
        for traffic, each in largest.items()
    }
    return draw_bars("Packets a CPU second by kind of traffic", bars)


def _cost(row: dict[str, float] | None) -> Cost | None:
    return Cost(**row) if row else None


def earlier(path: Path) -> list[Measured]:
    """What `raw` wrote of a run that was stopped."""
    return [
        Measured(
            row["traffic"],
            row["packets"],
            row["connections"],
            row["parts"],
            _cost(row["analyze"]),
            _cost(row["reading"]),
            _cost(row["tshark"]),
        )
        for row in json.loads(path.read_text())
    ]


def raw(measured: Sequence[Measured]) -> list[dict[str, object]]:
    """What was measured, as JSON."""
    return [{**asdict(each), "packets_a_cpu_s": each.rate(each.analyze)} for each in measured]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m workers.decode.bench.kinds", description=__doc__)
    parser.add_argument("--packets", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--traffic", choices=sorted(TRAFFIC), nargs="+", default=WORLD)
    parser.add_argument("--raw", type=Path, help="writes all numbers as JSON")
    parser.add_argument("--chart", type=Path, help="writes a chart (SVG)")
    parser.add_argument("--before", type=Path, help="an earlier --raw, drawn beside")
    parser.add_argument(
        "--resume", action="store_true", help="leaves out what --raw holds of a run that was stopped"
    )
    options = parser.parse_args()
    before = json.loads(options.before.read_text()) if options.before else []
    measure([sys.executable, "-m", "workers.decode.warm"])
    measured = earlier(options.raw) if options.resume and options.raw and options.raw.exists() else []
    known = {(each.traffic, each.packets) for each in measured}
    # The smaller captures of all kinds first: tshark's rate of these is the larger ones', too.
    wanted = [(packets, traffic) for packets in sorted(options.packets) for traffic in options.traffic]
    with tempfile.TemporaryDirectory(prefix="stallscope-bench-") as folder:
        for packets, traffic in wanted:
            if (traffic, packets) in known:
                continue
            measured.append(measure_kind(Path(folder), traffic, packets))
            # Written after each: a run of hours that is stopped keeps what it has.
            if options.raw:
                options.raw.write_text(json.dumps(raw(measured), indent=1))
            if options.chart:
                options.chart.write_text(chart(measured, before))
    print("\n".join(table(measured)), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
