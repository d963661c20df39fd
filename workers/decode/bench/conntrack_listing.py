"""``python -m workers.decode.bench.conntrack_listing``: a listing of a million entries, made and read."""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from pathlib import Path
from typing import Final

from workers.decode.bench.measure import measure

_ENTRIES: Final = 1_000_000
_READ: Final = """
import sys
from pathlib import Path
from workers.pipeline import ingest_file
part = ingest_file(Path(sys.argv[1]), name="listing", folder=None).part
assert part.lines_not_understood == 0, part.warnings
"""


def write_listing(path: Path, entries: int) -> None:
    """Connections through NAT and DNS queries, as `conntrack -L` with accounting prints them."""
    draw = random.Random(1)
    with path.open("w", encoding="ascii") as file:
        for number in range(entries):
            pod = f"10.244.{draw.randrange(256)}.{draw.randrange(256)}"
            port, outer = draw.randrange(1024, 65_536), draw.randrange(1024, 65_536)
            counts = f"packets={number % 99} bytes={number % 9_999}"
            if number % 5:
                head = (
                    f"tcp      6 {draw.randrange(432_000)} ESTABLISHED src={pod} dst=10.96.0.{number % 200}"
                )
                back = (
                    f"src=10.244.1.{number % 250} dst=192.0.2.1 sport=8443 dport={outer} {counts} [ASSURED]"
                )
                file.write(f"{head} sport={port} dport=443 {counts} {back} mark=0 use=1\n")
            else:
                head = f"udp      17 {draw.randrange(30)} src={pod} dst=10.96.0.10 sport={port} dport=53 {counts}"
                back = f"[UNREPLIED] src=10.244.3.3 dst={pod} sport=53 dport={port} packets=0 bytes=0"
                file.write(f"{head} {back} mark=0 use=1\n")
        file.write(f"conntrack v1.4.7 (conntrack-tools): {entries} flow entries have been shown.\n")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=_ENTRIES)
    options = parser.parse_args()
    measure([sys.executable, "-m", "workers.decode.warm"])
    with tempfile.TemporaryDirectory(prefix="stallscope-bench-") as folder:
        path = Path(folder) / "conntrack-L.txt"
        write_listing(path, options.entries)
        cost = measure([sys.executable, "-c", _READ, str(path)])
        size_mb = path.stat().st_size / 1e6
    print(  # noqa: T201
        f"conntrack -L, {options.entries:,} entries, {size_mb:,.0f} MB: {cost.wall_s:.2f} s wall, "
        f"{cost.cpu_s:.2f} s CPU, {cost.peak_mb:,.0f} MB peak"
    )


if __name__ == "__main__":
    main()
