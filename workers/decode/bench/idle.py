"""`python -m workers.decode.bench.idle`: processor time of a started product without work, by process."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from workers.decode.bench.served import served

STARTED_AFTER_S: Final = 25
MEASURED_S: Final = 60
_CLOCK_TICKS_PER_S: Final = os.sysconf("SC_CLK_TCK")


def main() -> None:
    """One line a process, and the sum, in per cent of a core."""
    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as product:
        time.sleep(STARTED_AFTER_S)
        before, began = _cpu_s_of_family(product.pid), time.monotonic()
        time.sleep(MEASURED_S)
        after, over_s = _cpu_s_of_family(product.pid), time.monotonic() - began
        shares = {name: 100 * (after[name] - spent) / over_s for name, spent in before.items()}
    for (_, name), share in shares.items():
        sys.stdout.write(f"{name}: {share:.2f} %\n")
    sys.stdout.write(f"all: {sum(shares.values()):.2f} % of a core\n")


def _cpu_s_of_family(pid: int) -> dict[tuple[int, str], float]:
    """By process and its first words: of this process and all that it started."""
    # Behind the name, which may hold spaces: state is the first, utime and stime the 12th and 13th.
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    words = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
    name = next((word for word in words if word in ("serve", "worker")), "launcher of children")
    found = {(pid, name): (int(fields[11]) + int(fields[12])) / _CLOCK_TICKS_PER_S}
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text().split():
            found |= _cpu_s_of_family(int(child))
    return found


if __name__ == "__main__":
    main()
