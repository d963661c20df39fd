"""``python -I picture_engine.py SCRIPT CALL CPU_S``: one call of ``pictures.call``; JSON in, JSON out.

A program of its own, which imports nothing of ours: the engine's clock is that of the process, and memory that it
takes goes with the process. The engine has no files, no network and no clock but Date; what is drawn is never run.
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path
from typing import Final

MEMORY_BYTES: Final = 512 << 20
STACK_BYTES: Final = 1 << 20


def main() -> None:
    """Writes the answer; an error of the script goes to the standard error output, with exit status 1."""
    script, call, cpu_s = sys.argv[1:]
    resource.setrlimit(resource.RLIMIT_CPU, (int(cpu_s) + 1, int(cpu_s) + 2))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    import quickjs

    context = quickjs.Context()
    context.set_memory_limit(MEMORY_BYTES)
    context.set_time_limit(int(cpu_s))
    context.set_max_stack_size(STACK_BYTES)
    context.eval(Path(script).read_text(encoding="utf-8"))
    answer = context.eval("pictures.call")(call, sys.stdin.buffer.read().decode())
    sys.stdout.buffer.write(answer.encode())


if __name__ == "__main__":
    main()
