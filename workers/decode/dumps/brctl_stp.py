"""`brctl showstp`: a bridge and the state of its ports, fields side by side or broken by mail.

docker0
 bridge id              8000.0242b3cd794c
 max age                  20.00                 bridge max age            20.00
veth22559a9 (5)
 port id                8005                    state                forwarding
 flags
 hairpin mode              1
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from backend.forensics.dumps import BridgePort, Dump
from workers.decode.dumps.fields import numbered

KIND = "bridge"

_FIELD = re.compile(
    r"\s{1,4}(?:bridge id|designated (?:root|bridge|port|cost)|root port|max age|hello time|forward delay|"
    r"ageing time|hello timer|topology change|port id|path cost|message age timer|hold timer|gc interval|gc timer|"
    r"tcn timer|bridge max age|bridge hello time|bridge forward delay|hairpin mode|state|flags)\b"
)
_PORT = re.compile(r"(?P<name>[a-z][\w.@-]{0,14}) \((?P<number>\d{1,4})\)\s*$")
_VALUE = re.compile(r"\s{0,4}(?:\d{1,9}(?:\.\d{1,4})?|[0-9a-f]{4}\.[0-9a-f]{12}|[A-Z_ ]{3,40})\s*$")
_STATES = "forwarding|blocking|listening|learning|disabled"
_STATE = re.compile(rf"\bstate\s+(?P<state>{_STATES})|^\s{{0,4}}(?P<bare>{_STATES})\s*$")
_HAIRPIN = re.compile(r"\bhairpin mode\s+(?P<on>[01])")
_BRIDGE = re.compile(r"(?P<name>[a-z][\w.-]{0,14})\s*$")


def recognise(head: Sequence[str]) -> float:
    """Sure when its fields are there."""
    return 1.0 if sum(owns_line(line) for line in head) > 1 else 0.0


def owns_line(line: str) -> bool:
    """A field, or the title of a port."""
    return bool(_FIELD.match(line) or _PORT.match(line))


def starts_anew(previous: str, line: str) -> bool:
    """The bridges of a host are kept together."""
    return False


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The ports with their states."""
    ports: list[BridgePort] = []
    strange: list[int] = []
    bridge = ""
    for number, line in numbered(lines, first_line):
        port, state, hairpin = _PORT.match(line), _STATE.search(line), _HAIRPIN.search(line)
        if port is not None:
            ports.append(BridgePort(number, port["name"], bridge, ""))
        elif state is not None and ports and not ports[-1].state:
            ports[-1] = replace(ports[-1], state=state["state"] or state["bare"])
        elif hairpin is not None and ports:
            ports[-1] = replace(ports[-1], hairpin=hairpin["on"] == "1")
        elif _BRIDGE.match(line) and not _FIELD.match(line):
            bridge = line.strip()
        elif not (_FIELD.match(line) or _VALUE.match(line)):
            strange.append(number)
    return Dump(KIND, len(lines), tuple(strange), bridge_ports=tuple(ports))
