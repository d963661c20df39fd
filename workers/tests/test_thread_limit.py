"""A child of an ordinary user that starts threads without end, beside other processes of that user."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

BOMB = """
import encodings.ascii, encodings.latin_1, os, sys, threading
from backend.limits import Limits
from workers.confinement.kernel import threads_counted
from workers.sandbox.child import _set_limits
os.setgid(65534); os.setuid(65534)
before, end = threads_counted(), threading.Event()
if sys.argv[1] == "limited":
    _set_limits(Limits())
threading.stack_size(64 << 10)
started = 0
try:
    while started < 1300:
        threading.Thread(target=end.wait, daemon=True).start()
        started += 1
except RuntimeError:
    pass
print(before, started, flush=True)
os._exit(0)
"""


@pytest.mark.promise("The threads of a child are bounded, whatever else its user runs.")
@pytest.mark.skipif(os.getuid() != 0, reason="changing the user needs root")
@pytest.mark.parametrize("way", ["limited", "free"])
def test_threads_are_bounded(way: str) -> None:
    with subprocess.Popen(["sleep", "60"], user=65534, group=65534) as beside:
        said = subprocess.run([sys.executable, "-c", BOMB, way], capture_output=True, text=True, check=False)
        beside.kill()
    assert said.returncode == 0, said.stderr
    before, started = map(int, said.stdout.split())
    assert before >= 2
    assert started == 1300 if way == "free" else 900 < started <= 1024
