"""A kernel that allows a user namespace and then refuses its map of users."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

TRY = """
import os, sys
if sys.argv[1] == "refused":  # who changes its user is not dumpable: its files in /proc belong to root
    os.setgid(65534); os.setuid(65534)
before = os.readlink("/proc/self/ns/net") if sys.argv[1] == "allowed" else ""
left = leave_namespaces()
print(left, os.getuid(), left == (bool(before) and os.readlink("/proc/self/ns/net") != before))
"""


@pytest.mark.skipif(os.getuid() != 0, reason="changing the user needs root")
@pytest.mark.parametrize(("way", "uid"), [("refused", 65534), ("allowed", 0)])
def test_a_refusal_leaves_the_process_as_it_was(way: str, uid: int) -> None:
    program = f"from workers.confinement.kernel import leave_namespaces\n{TRY}"
    said = subprocess.run([sys.executable, "-c", program, way], capture_output=True, text=True, check=False)
    assert said.stdout == f"{way == 'allowed'} {uid} True\n", said.stderr
