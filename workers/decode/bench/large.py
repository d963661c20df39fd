"""``python -m workers.decode.bench.large``: peak memory on a capture of more than 8 GB, and on one of a million
connections that stay open, against what is allowed: 400 MB, and 300 bytes a connection."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Final

from workers.decode.bench.measure import measure

_ALLOWED_MB: Final = 400
_ALLOWED_BYTES: Final = 300
_DECODE: Final = """
import sys
from pathlib import Path
from workers.decode.captures import decode_capture
table = Path(sys.argv[3]) if len(sys.argv) > 3 else None
capture = decode_capture(Path(sys.argv[1]), name="bench.pcap", sha256="", packets_path=table)
assert not capture.warnings, capture.warnings
Path(sys.argv[2]).write_text(str(len(capture.connections)))
"""
_HEAD: Final = (
    "| traffic | file, GB | packets | connections | decoded | wall s | CPU s | peak memory MB | allowed MB |",
    "| --- | ---: | ---: | ---: | --- | ---: | ---: | ---: | ---: |",
)


def _rows(folder: Path, traffic: str, packets: int) -> list[str]:
    """Of one capture: without and with its packet table."""
    capture, counted, table = (
        folder / f"{traffic}-{packets}.pcap",
        folder / "connections",
        folder / "p.parquet",
    )
    if not capture.exists():
        measure([sys.executable, "-m", "workers.decode.bench.generate", str(capture), str(packets), traffic])
    rows = []
    for what, given in (("no packet table", []), ("with Parquet", [str(table)])):
        cost = measure([sys.executable, "-c", _DECODE, str(capture), str(counted), *given])
        connections = int(counted.read_text())
        rows.append(
            f"| {traffic} | {capture.stat().st_size / 1e9:.1f} | {packets:,} | {connections:,} | {what} "
            f"| {cost.wall_s:.1f} | {cost.cpu_s:.1f} | {cost.peak_mb:,.0f} "
            f"| {_ALLOWED_MB + _ALLOWED_BYTES * connections / 1e6:,.0f} |"
        )
        table.unlink(missing_ok=True)
    return rows


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m workers.decode.bench.large", description=__doc__)
    parser.add_argument("--folder", type=Path, help="keeps the generated captures (10 GB) for the next run")
    parser.add_argument("--packets", type=int, default=36_000_000, help="of the capture of more than 8 GB")
    parser.add_argument("--open", type=int, default=8_000_000, help="packets of connections that stay open")
    options = parser.parse_args()
    measure([sys.executable, "-m", "workers.decode.warm"])
    with tempfile.TemporaryDirectory(prefix="stallscope-bench-") as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        rows = [*_rows(folder, "open", options.open), *_rows(folder, "long", options.packets)]
        print("\n".join((*_HEAD, *rows)))  # noqa: T201


if __name__ == "__main__":
    main()
