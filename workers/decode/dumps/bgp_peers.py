"""`calicoctl node status`: BGP peers of this node, and whether their sessions are up.

| PEER ADDRESS  |     PEER TYPE     | STATE |  SINCE   |              INFO              |
| 10.0.0.4      | node-to-node mesh | start | 17:19:38 | Active Socket: Connection      |
|               |                   |       |          | refused                        |
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from backend.forensics.dumps import Dump, LogMessage
from workers.decode.dumps.fields import canonical_address, numbered
from workers.decode.dumps.formats import share_owned

KIND = "component-log"

_TITLE = re.compile(
    r"Calico process is (?:not )?running\.|IPv[46] BGP status\s*$|No IPv[46] (?:BGP )?peers found\.|"
    r"(?:The BGP backend process|This host is not)"
)
_ROW = re.compile(r"\| {0,40}\|?[^|]{0,60}\|[^|]{0,60}\|[^|]{0,24}\|[^|]{0,40}\|[^|]{0,80}\|?\s*$")
_RULE = re.compile(r"\+(?:-{3,80}\+){5}\s*$")
_UP = "established"


def recognise(head: Sequence[str]) -> float:
    """The share of its lines."""
    return share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """A title, a ruling, or a row of five columns."""
    return any(shape.match(line) for shape in (_TITLE, _ROW, _RULE))


def starts_anew(previous: str, line: str) -> bool:
    """The state of the process comes first."""
    return line.startswith("Calico process") and bool(previous)


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """A message a peer: an error for one without a session."""
    messages: list[LogMessage] = []
    not_understood: list[int] = []
    for number, line in numbered(lines, first_line):
        if _ROW.match(line):
            _take(line, number, messages)
        elif not (_TITLE.match(line) or _RULE.match(line)):
            not_understood.append(number)
    return Dump(KIND, len(lines), tuple(not_understood), log_messages=tuple(messages))


def _take(line: str, number: int, messages: list[LogMessage]) -> None:
    cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
    peer, state, info = cells[0], cells[-3] if len(cells) > 2 else "", cells[-1]
    if peer.upper().startswith("PEER"):
        return
    if not peer:
        # The text of the last column goes on in a row of its own.
        if messages and info and messages[-1].level == "error":
            messages[-1] = replace(messages[-1], text=f"{messages[-1].text} {info}")
        return
    is_up = state == "up" or info.lower() == _UP
    if canonical_address(peer) is None and not any(letter.isdigit() for letter in peer):
        return
    text = (
        f"BGP peer {peer} is established" if is_up else f"BGP peer {peer} is not established: {state}, {info}"
    )
    messages.append(LogMessage(number, "calico", "info" if is_up else "error", text, "bgp"))
