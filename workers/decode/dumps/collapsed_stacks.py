"""Collapsed stacks (`perf script | stackcollapse-perf.pl`, bcc's `profile -f`): a call chain and its samples a line.

cadvisor;runtime.goexit;syscall.Read;entry_SYSCALL_64;do_syscall_64;vfs_read;seq_read;memory_stat_show 41
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import Dump, StackSamples
from workers.decode.dumps.fields import numbered, whole_number
from workers.decode.dumps.formats import share_owned

KIND = "collapsed-stacks"

_LONGEST = 512
"""Frames of a chain that are kept."""
_SHAPE = re.compile(r"(?P<process>[^;=\t{}\"']{1,40})(?:;[^;\t{}\"]{0,400}){2}")
_OPTION = re.compile(r"/\d{1,10}$|-\d{1,10}(?:/\d{1,10})?$")
"""``-p`` of the collapsing script adds the process number to the name."""


def recognise(head: Sequence[str]) -> float:
    """The share of lines that are chains."""
    return 0.9 * share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """A chain of three frames at least, and a count."""
    chain, _, count = line.rstrip().rpartition(" ")
    return bool(count) and whole_number(count) is not None and _SHAPE.match(chain) is not None


def starts_anew(previous: str, line: str) -> bool:
    """Nothing marks the beginning of a second listing."""
    return False


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The chains in their order."""
    found: list[StackSamples] = []
    not_understood: list[int] = []
    for number, line in numbered(lines, first_line):
        chain, _, count = line.rstrip().rpartition(" ")
        samples = whole_number(count, largest=2**53)
        if samples is None or not owns_line(line):
            not_understood.append(number)
            continue
        process, *frames = chain.split(";", _LONGEST)
        found.append(StackSamples(number, _OPTION.sub("", process.strip()), tuple(frames), samples))
    return Dump(KIND, len(lines), tuple(not_understood), stacks=tuple(found))
