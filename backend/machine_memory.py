"""How much memory this process and its children may have: the machine's, or less where a control group has a limit."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_CGROUPS: Final = Path("/sys/fs/cgroup")
_OWN_GROUPS: Final = Path("/proc/self/cgroup")
_LIMITS_V2: Final = ("memory.max", "memory.high")
_LIMITS_V1: Final = ("memory.limit_in_bytes",)


def memory_bytes(cgroups: Path = _CGROUPS, own_groups: Path = _OWN_GROUPS) -> int:
    """The least of the machine's memory and the limits of each group that this process is in, directly or through
    the groups around it (a container, a systemd unit and its slices)."""
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    found = [_limit(file) for file in _limit_files(cgroups, own_groups)]
    return min([machine, *(limit for limit in found if limit)])


def _limit_files(cgroups: Path, own_groups: Path) -> Iterator[Path]:
    for mounted, group, names in _memory_groups(cgroups, own_groups):
        # Where a container sees the groups of its host's names, its own group is the one that is mounted.
        for folder in (group, *group.parents):
            yield from (mounted / folder / name for name in names)


def _memory_groups(cgroups: Path, own_groups: Path) -> Iterator[tuple[Path, Path, tuple[str, ...]]]:
    """(where the hierarchy is mounted, path of the group below it, names of its limits), cgroups(7)."""
    try:
        lines = own_groups.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    for line in (*lines, "0::/", ":memory:/"):
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        group = Path(*(part for part in Path(path).parts if part not in ("/", "..")))
        if not controllers:
            yield cgroups, group, _LIMITS_V2
            yield cgroups / "unified", group, _LIMITS_V2
        elif "memory" in controllers.split(","):
            yield cgroups / "memory", group, _LIMITS_V1


def _limit(file: Path) -> int:
    """0 for none."""
    try:
        return max(0, int(file.read_text(encoding="ascii")))
    except (OSError, ValueError):  # no such group, or "max"
        return 0
