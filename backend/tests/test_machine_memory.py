"""Trees of control groups as systemd, Docker and Kubernetes make them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from backend.machine_memory import memory_bytes

MIB = 1 << 20
MACHINE = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
UNLIMITED_V1 = "9223372036854771712\n"
UNIT = "/system.slice/stallscope.service"
TREES: dict[str, tuple[str, dict[str, str], int | None]] = {
    "no groups": ("", {}, None),
    "v2, no limit": (f"0::{UNIT}\n", {f"{UNIT}/memory.max": "max\n", "/system.slice/memory.max": "max\n"}, None),
    "v2, limit of the unit": (f"0::{UNIT}\n", {f"{UNIT}/memory.max": f"{512 * MIB}\n"}, 512 * MIB),
    "v2, limit of the slice": (
        f"0::{UNIT}\n",
        {f"{UNIT}/memory.max": "max\n", "/system.slice/memory.max": f"{256 * MIB}\n"},
        256 * MIB,
    ),
    "v2, the slice has more": (
        f"0::{UNIT}\n",
        {f"{UNIT}/memory.max": f"{128 * MIB}\n", "/system.slice/memory.max": f"{256 * MIB}\n"},
        128 * MIB,
    ),
    "v2, held back from less on": (
        f"0::{UNIT}\n",
        {f"{UNIT}/memory.max": f"{512 * MIB}\n", f"{UNIT}/memory.high": f"{384 * MIB}\n"},
        384 * MIB,
    ),
    "v2, another unit": ("0::/user.slice\n", {f"{UNIT}/memory.max": f"{512 * MIB}\n"}, None),
    "v2, a container that sees itself as the root": ("0::/\n", {"/memory.max": f"{512 * MIB}\n"}, 512 * MIB),
    "v2, outside of its namespace": ("0::/../../x\n", {"/memory.max": f"{512 * MIB}\n"}, 512 * MIB),
    "v1, limit of the unit": (
        f"9:cpu,cpuacct:{UNIT}\n4:memory:{UNIT}\n",
        {f"/memory{UNIT}/memory.limit_in_bytes": f"{512 * MIB}\n", "/memory/memory.limit_in_bytes": UNLIMITED_V1},
        512 * MIB,
    ),
    "v1, no limit": (f"4:memory:{UNIT}\n", {"/memory/memory.limit_in_bytes": UNLIMITED_V1}, None),
    "v1, a container with its host's names": (
        "4:memory:/docker/0123\n", {"/memory/memory.limit_in_bytes": f"{512 * MIB}\n"}, 512 * MIB,
    ),
    "hybrid, the limit is in v1": (
        f"4:memory:{UNIT}\n0::{UNIT}\n",
        {f"/memory{UNIT}/memory.limit_in_bytes": f"{512 * MIB}\n", f"/unified{UNIT}/cgroup.procs": "1\n"},
        512 * MIB,
    ),
    "hybrid, the limit is in v2": (
        f"4:memory:/\n0::{UNIT}\n",
        {f"/unified{UNIT}/memory.max": f"{512 * MIB}\n", "/memory/memory.limit_in_bytes": UNLIMITED_V1},
        512 * MIB,
    ),
    "neither a number nor max": (f"0::{UNIT}\n", {f"{UNIT}/memory.max": "lots\n"}, None),
    "a line of no known form": ("rubbish\n\n0:\n", {"/memory.max": f"{512 * MIB}\n"}, 512 * MIB),
}  # fmt: skip


@pytest.mark.promise(
    "The memory of children is held against the limit of the container or of the systemd unit."
)
@pytest.mark.parametrize("name", TREES)
def test_the_least_limit_counts(tmp_path: Path, name: str) -> None:
    groups, files, expected = TREES[name]
    (tmp_path / "own").write_text(groups)
    for path, content in files.items():
        file = Path(f"{tmp_path}/sys{path}")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    assert memory_bytes(tmp_path / "sys", tmp_path / "own") == (expected or MACHINE)


def test_no_file_tells_the_groups(tmp_path: Path) -> None:
    (tmp_path / "memory.max").write_text(f"{512 * MIB}\n")
    assert memory_bytes(tmp_path, tmp_path / "absent") == 512 * MIB
