"""`ifconfig` of net-tools (both forms) and busybox: interfaces with their errors and drops.

eth0: flags=4163<UP,BROADCAST,RUNNING,MULTICAST>  mtu 1500
        RX errors 0  dropped 7  overruns 0  frame 0
eth0      Link encap:Ethernet  HWaddr 02:00:00:00:00:01
          RX packets:12 errors:0 dropped:7 overruns:0 frame:0
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from backend.forensics.dumps import Dump, LinkCounters
from workers.decode.dumps.fields import numbered

KIND = "ifconfig"

_HEADER = re.compile(r"(?P<name>[\w.@-]{1,15})(?:: flags=\d{1,6}<|\s{1,10}Link encap:)")
_LOST = re.compile(r"\s{1,16}(?P<side>RX|TX)(?= errors \d| packets:)(?P<counts>[\w :()/.]{1,200})$")
_COUNT = re.compile(r"(?P<name>errors|dropped|overruns|frame|carrier)[: ](?P<value>\d{1,20})")
_PACKETS = re.compile(r"\s{1,16}(?P<side>RX|TX) packets[: ](?P<packets>\d{1,20})")
_FURTHER = re.compile(
    r"\s{1,16}(?:inet6? |ether |unspec |loop |tunnel |infiniband |device (?:interrupt|memory)|RX bytes|TX bytes|"
    r"collisions|UP |DOWN |BROADCAST |POINTOPOINT |LOOPBACK |NOARP |Interrupt|Base |Memory|inet6? addr)"
)


def recognise(head: Sequence[str]) -> float:
    """Sure when an interface is there."""
    return 1.0 if any(_HEADER.match(line) for line in head) else 0.5 if any(map(owns_line, head)) else 0.0


def owns_line(line: str) -> bool:
    """An interface, or its counters."""
    return bool(_HEADER.match(line) or (line[:1] in " \t" and (_LOST.match(line) or _PACKETS.match(line))))


def starts_anew(previous: str, line: str) -> bool:
    """Interfaces follow each other."""
    return False


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """One record for each interface."""
    found: list[LinkCounters] = []
    strange: list[int] = []
    for number, line in numbered(lines, first_line):
        header, lost, packets = _HEADER.match(line), _LOST.match(line), _PACKETS.match(line)
        if header is not None:
            found.append(LinkCounters(number, header["name"], "", 0, {}))
            continue
        if lost is None and packets is None:
            if not found or not _FURTHER.match(line):
                strange.append(number)
            continue
        if not found:
            found.append(LinkCounters(number, "", "", 0, {}))
        if packets is not None and packets["side"] == "TX":
            found[-1] = replace(found[-1], sent=int(packets["packets"]))
        if lost is not None:
            found[-1] = _with(found[-1], lost, number)
    return Dump(KIND, len(lines), tuple(strange), link_counters=tuple(found))


def _with(counters: LinkCounters, lost: re.Match[str], number: int) -> LinkCounters:
    counts = {
        f"{lost['side']} {count['name']}": int(count["value"])
        for count in _COUNT.finditer(lost["counts"])
        if int(count["value"])
    }
    line = number if counts and not counters.lost else counters.line
    return replace(counters, line=line, lost={**counters.lost, **counts})
