"""``python -m workers.decode.bench.objects FOLDER``: processor time to read the JSON of 50,000 pods."""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

from workers.decode.dumps import read_dumps
from workers.decode.objects.tests.cluster import listed, many_pods, pod

PODS = 50_000
BLOCK_BYTES = 1 << 20


def main() -> None:
    """Writes the file once, and prints its size, the processor time and the largest memory."""
    path = Path(sys.argv[1]) / f"pods-{PODS}.json"
    if not path.exists():
        path.write_text(listed([pod(each) for each in many_pods(PODS)]), encoding="utf-8")
    read_dumps([b"\n"])  # what is imported and compiled once
    begin_s = time.process_time()
    with path.open("rb") as file:
        _, dumps = read_dumps(iter(lambda: file.read(BLOCK_BYTES), b""))
    spent_s = time.process_time() - begin_s
    largest_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_000
    names = sum(len(dump.address_names) for dump in dumps)
    sys.stdout.write(
        f"{path.stat().st_size / 1e6:.0f} MB, {names:,} names: {spent_s:.1f} s of CPU, {largest_mb:.0f} MB\n"
    )


if __name__ == "__main__":
    main()
