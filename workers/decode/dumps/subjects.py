"""Which control group each `cpu.stat` of a text belongs to: counters of two groups are no series.

$ cat /sys/fs/cgroup/a/cpu.stat /sys/fs/cgroup/b/cpu.stat
==> /sys/fs/cgroup/a/cpu.stat <==

The path says it, where the text has one. Else what was printed together is of as many groups as there are listings, in
their order: the first of one printout goes with the first of another.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from backend.forensics.dumps import Dump
from workers.decode.dumps import cpu_stat

_PATH = re.compile(r"(?:[^\s;|&'\"]{0,1000}/)?cpu\.stat\b")
_PATTERN = re.compile(r"[*?\[$`{]")


@dataclass
class Subjects:
    """What is known so far of one text."""

    _place: int = -1

    def named(self, dump: Dump, command: str, *, is_new: bool) -> Dump:
        """The dump with its subject; dumps of other kinds as they are. `is_new`: a prompt, a heading or a time stands
        before it, so it begins a printout."""
        if is_new:
            self._place = -1
        if dump.kind != cpu_stat.KIND:
            return dump
        self._place += 1
        paths = _PATH.findall(command)
        if paths and not any(_PATTERN.search(path) for path in paths):
            # One command prints its files in order, in a loop again and again.
            return replace(dump, subject=paths[self._place % len(paths)])
        return replace(dump, subject=f"listing {self._place + 1}") if self._place else dump
