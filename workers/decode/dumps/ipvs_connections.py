"""`ipvsadm -Lnc`, `/proc/net/ip_vs_conn` and `ip_vs_conn_sync`: the connections that IPVS keeps.

IPVS connection entries
pro expire state       source             virtual            destination
TCP 01:49  TIME_WAIT   10.58.14.13:11204  10.96.0.100:80     10.244.1.13:8080

Pro FromIP   FPrt ToIP     TPrt DestIP   DPrt State       Expires PEName PEData
TCP 0A3A0E0D 2F28 0A600064 0050 0AF4010C 1F90 TIME_WAIT        72

Columns overflow (179:52, IPv6), so lines are split at blanks. /proc is hexadecimal but for the expiry.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from backend.forensics.dumps import Dump, IpvsConnection, IpvsConnectionTable
from workers.decode.dumps.fields import (
    canonical_address,
    endpoint,
    hexadecimal_number,
    numbered,
    proc_address,
    whole_number,
)
from workers.decode.dumps.formats import share_owned

KIND = "ipvs-connections"

_TITLE = "IPVS connection entries"
_HEADER = re.compile(r"pro expire state\s{1,16}source\s{1,32}virtual\s|Pro FromIP\s{1,40}FPrt ToIP\s")
_LISTED = re.compile(r"(?:TCP|UDP|SCTP|IP|ICMP|ICMPv6|ESP|AH)\s{1,4}\d{1,9}:\d{2}\s{1,8}[A-Z!_0-9]{2,20}\s")
_PROC = re.compile(
    r"(?:TCP|UDP|SCTP|IP|ICMP|ICMPv6|ESP|AH)\s{1,4}(?:[0-9A-F]{8}|[0-9a-f]{4}(?::[0-9a-f]{4}){7}) [0-9A-F]{4} "
)
_EXPIRY = re.compile(r"(\d{1,9}):(\d{2})")
_LONGEST_EXPIRY_S = 2**31 - 1


def recognise(head: Sequence[str]) -> float:
    """The share of lines that are headers or connections."""
    return share_owned(owns_line, head)


def owns_line(line: str) -> bool:
    """A header or a connection."""
    return (
        line.startswith(_TITLE) or bool(_HEADER.match(line)) or bool(_LISTED.match(line) or _PROC.match(line))
    )


def starts_anew(previous: str, line: str) -> bool:
    """The title, or the header where there is none above it, begins a listing."""
    if line.startswith(_TITLE):
        return bool(previous)
    return bool(previous and _HEADER.match(line)) and not previous.startswith(_TITLE)


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """The connections; persistence templates are those with client port 0."""
    connections: list[IpvsConnection] = []
    not_understood: list[int] = []
    for number, line in numbered(lines, first_line):
        if line.startswith(_TITLE) or _HEADER.match(line):
            continue
        read = _read_proc(line, number) if _PROC.match(line) else _read_listed(line, number)
        if read is None:
            not_understood.append(number)
        else:
            connections.append(read)
    return Dump(KIND, len(lines), tuple(not_understood), ipvs_connections=IpvsConnectionTable.of(connections))


def _read_listed(line: str, number: int) -> IpvsConnection | None:
    words = line.split()
    expiry = _EXPIRY.fullmatch(words[1]) if len(words) >= 6 and _LISTED.match(line) else None
    if expiry is None:
        return None
    ends = [endpoint(word) for word in words[3:6]]
    client, virtual, destination = ends
    if client is None or virtual is None or destination is None:
        return None
    expires_s = min(int(expiry[1]) * 60 + int(expiry[2]), _LONGEST_EXPIRY_S)
    return IpvsConnection(number, words[0], expires_s, words[2], *client, *virtual, *destination)


def _read_proc(line: str, number: int) -> IpvsConnection | None:
    words = line.split()
    if len(words) < 9:
        return None
    ends: list[tuple[str, int]] = []
    for address_text, port_text in zip(words[1:7:2], words[2:7:2], strict=True):
        address = proc_address(address_text) or canonical_address(address_text)
        port = hexadecimal_number(port_text)
        if address is None or port is None or port > 65_535:
            return None
        ends.append((address, port))
    # ip_vs_conn_sync puts the origin before the expiry.
    expires_s = whole_number(words[9] if words[8] in ("LOCAL", "SYNC") and len(words) > 9 else words[8])
    if expires_s is None:
        return None
    client, virtual, destination = ends
    expires_s = min(expires_s, _LONGEST_EXPIRY_S)
    return IpvsConnection(number, words[0], expires_s, words[7], *client, *virtual, *destination)
