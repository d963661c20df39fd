"""Packets as `tcpdump` and `tshark` print them: rebuilt as a capture, of which each frame leads to its line here.

01:11:43.486943 eth0  In  IP 10.0.0.1.41358 > 10.0.0.2.80: Flags [S], seq 345145544, win 64240, length 0
    1   0.000000 10.0.0.1 → 10.0.0.2 TCP 74 41358 → 80 [SYN] Seq=0 Win=64240 Len=0

Which lines are such is decided before the text is split (`printed.marks`); here come only marks in their place.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from backend.forensics.dumps import Dump
from backend.forensics.dumps.printed import PRINTED_DTYPE, PrintedTable
from workers.decode.dumps.formats import share_owned

KIND = "tcpdump-text"
MARK: Final = "\ufdd4"
"""A noncharacter in place of a line of a packet; the number of its capture behind it where the packet begins."""


def owns_line(line: str) -> bool:
    """The marks."""
    return line.startswith(MARK)


def starts_anew(previous: str, line: str) -> bool:
    """Packets in a row are one listing."""
    return False


def recognise(head: Sequence[str]) -> float:
    """The share of marks."""
    return share_owned(owns_line, head)


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """Where each packet begins."""
    begun = [
        (number, int(line[1:]))
        for number, line in enumerate(lines, first_line)
        if len(line) > 1 and owns_line(line)
    ]
    strange = tuple(
        number for number, line in enumerate(lines, first_line) if line.strip() and not owns_line(line)
    )
    return Dump(KIND, len(lines), strange, printed=PrintedTable(np.array(begun, PRINTED_DTYPE)))
