"""Sockets counted by state, as people count the lines of netstat and ss with awk, or with sort and uniq.

CLOSE_WAIT 710
    710 CLOSE_WAIT
ESTABLISHED: 138
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import CounterRow, Dump
from workers.decode.dumps.fields import numbered
from workers.decode.dumps.formats import share_owned
from workers.decode.dumps.netstat_sockets import STATES

KIND = "ss-summary"

_NAMES = "|".join(
    sorted(
        {*STATES, *STATES.values(), *(s.replace("-", "_") for s in STATES.values())}, key=len, reverse=True
    )
)
_COUNT = re.compile(
    rf"\s{{0,12}}(?:(?P<state>{_NAMES})[ \t:=]{{1,20}}(?P<count>\d{{1,9}})|"
    rf"(?P<first>\d{{1,9}})[ \t]{{1,20}}(?P<behind>{_NAMES}))\s*$"
)


def recognise(head: Sequence[str]) -> float:
    """The share of lines that count a state."""
    return share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """A state and a number, in either order."""
    return _COUNT.match(line) is not None


def starts_anew(previous: str, line: str) -> bool:
    """Two counts of one listing differ in their state."""
    before, now = _COUNT.match(previous), _COUNT.match(line)
    return before is not None and now is not None and _state(before) == _state(now)


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """Sizes: ``tcp_close_wait``, ``tcp_time_wait``, ``tcp_estab``, …"""
    gauges: list[CounterRow] = []
    not_understood: list[int] = []
    for number, line in numbered(lines, first_line):
        found = _COUNT.match(line)
        if found is None:
            not_understood.append(number)
        else:
            value = int(found["count"] or found["first"])
            gauges.append(CounterRow(number, None, {f"tcp_{_state(found)}": value}))
    return Dump(KIND, len(lines), tuple(not_understood), gauges=tuple(gauges))


def _state(found: re.Match[str]) -> str:
    name = found["state"] or found["behind"]
    return STATES.get(name, name).lower().replace("-", "_")
