"""A process that compiles ends with the one that asked for it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

ASK = """
import os, subprocess, sys, time
process = subprocess.Popen([sys.executable, "-m", sys.argv[1]], env={**os.environ, sys.argv[2]: str(os.getpid())})
print(process.pid, flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("module", ["workers.decode.warm", "workers.decode.anonymise.warm"])
def test_compiling_ends_with_who_asked(module: str, tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    environment.pop("NUMBA_DISABLE_JIT", None)
    asking = subprocess.Popen(
        [sys.executable, "-c", ASK, module, "STALLSCOPE_COMPILES"], stdout=subprocess.PIPE, env=environment
    )
    assert asking.stdout is not None
    compiling = Path(f"/proc/{int(asking.stdout.readline())}/stat")
    asking.kill()
    asking.wait()
    asking.stdout.close()
    deadline = time.monotonic() + 600
    while _lives(compiling):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()], "it compiled to its end"


def _lives(stat: Path) -> bool:
    try:
        return stat.read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
