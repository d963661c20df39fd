"""Rules that one packet passed: `xtables-monitor --trace` and `nft monitor trace`.

PACKET: 2 b077d09e IN=eth0 SRC=10.0.0.5 DST=10.0.0.9 LEN=60 TTL=63 SPORT=42518 DPORT=443 SYN
 TRACE: 2 b077d09e filter:FORWARD:rule:0x3:DROP  -4 -t filter -A FORWARD -j DROP
trace id a95ea7ef ip filter input packet: iif "eth0" ip saddr 10.0.0.5 ip daddr 10.0.0.9 tcp sport 4 tcp dport 22
trace id a95ea7ef ip filter input rule tcp dport 22 drop (verdict drop)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from backend.forensics.dumps import DropEvent, Dump
from workers.decode.dumps.fields import canonical_address, numbered

KIND = "drops"

_TOOL: Final = "netfilter-log"
_PACKET = re.compile(r"PACKET: \d{1,3} (?P<id>[0-9a-f]{8})(?P<fields> .{1,600})$")
_STEP = re.compile(
    r" ?TRACE: \d{1,3} (?P<id>[0-9a-f]{8}) (?P<place>[\w-]{1,32}:[\w.-]{1,64}:"
    r"(?:rule|policy|return)[\w:.-]{0,80})(?P<text>.*)$"
)
_NFT = re.compile(
    r"trace id (?P<id>[0-9a-f]{8}) (?P<table>\w{2,8} [\w.-]{1,64}) (?P<chain>[\w.-]{1,64}) "
    r"(?:(?P<packet>packet:)|(?P<rule>rule|verdict|policy)\b)(?P<text>.*)$"
)
_END = re.compile(r"\b(?:(?P<side>SRC|DST)=|ip6? (?P<nft>saddr|daddr) )(?P<address>[0-9a-fA-F.:]{2,45})")
_PORT = re.compile(r"\b(?:(?P<side>SPORT|DPORT)=|(?:tcp|udp) (?P<nft>sport|dport) )(?P<port>\d{1,5})")
_PROTOCOL = re.compile(r"\b(tcp|udp|icmp)\b", re.IGNORECASE)
_INTERFACE = re.compile(r"\bIN=(\S{1,15})|\biif \"([^\"]{1,15})\"")
_DROPPED = re.compile(r":(?:DROP|REJECT)\b|\(verdict drop\)|^ ?drop\b|\bpolicy drop|:policy:DROP")


def recognise(head: Sequence[str]) -> float:
    """Sure when a packet or a rule is there."""
    return 1.0 if any(map(owns_line, head)) else 0.0


def owns_line(line: str) -> bool:
    """A packet, or a rule that it passed."""
    if not line.startswith(("PACKET: ", " TRACE: ", "TRACE: ", "trace id ")):
        return False
    return bool(_PACKET.match(line) or _STEP.match(line) or _NFT.match(line))


def starts_anew(previous: str, line: str) -> bool:
    """What a monitor prints is one listing."""
    return False


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """One event a rule; the packet's addresses stand in a line of their own."""
    events: list[DropEvent] = []
    strange: list[int] = []
    packets: dict[str, DropEvent] = {}
    for number, line in numbered(lines, first_line):
        packet, step, nft = _PACKET.match(line), _STEP.match(line), _NFT.match(line)
        if packet is not None:
            packets[packet["id"]] = _packet(packet["fields"], number)
        elif nft is not None and nft["packet"]:
            packets.setdefault(nft["id"], _packet(nft["text"], number))
        elif step is not None:
            events.append(_step(packets, step["id"], step["place"], f"{step['place']}{step['text']}", number))
        elif nft is not None:
            place = f"{nft['table'].partition(' ')[2]}:{nft['chain']}:{nft['rule']}"
            text = nft["text"] if nft["rule"] == "rule" else f"{nft['rule']}{nft['text']}"
            events.append(_step(packets, nft["id"], place, text, number))
        else:
            strange.append(number)
    return Dump(KIND, len(lines), tuple(strange), drops=tuple(events))


def _packet(fields: str, number: int) -> DropEvent:
    ends = {(end["side"] or end["nft"])[0].lower(): end["address"] for end in _END.finditer(fields)}
    ports = {
        (port["side"] or port["nft"])[0].lower(): int(port["port"]) & 0xFFFF
        for port in _PORT.finditer(fields)
    }
    protocol, interface = _PROTOCOL.search(fields), _INTERFACE.search(fields)
    is_tcp = re.search(r" (?:SYN|ACK|RST|FIN)\b", fields) is not None
    return DropEvent(
        number, _TOOL, "", "", protocol=protocol[1].lower() if protocol else "tcp" if is_tcp else "",
        source=canonical_address(ends.get("s", "")) or "", source_port=ports.get("s"),
        destination=canonical_address(ends.get("d", "")) or "", destination_port=ports.get("d"), dropped=False,
        interface=(interface[1] or interface[2]) if interface else "",
    )  # fmt: skip


def _step(packets: dict[str, DropEvent], identifier: str, place: str, text: str, number: int) -> DropEvent:
    packet = packets.get(identifier) or DropEvent(number, _TOOL, "", "", dropped=False)
    dropped = _DROPPED.search(text) is not None
    return replace(
        packet, line=number, place=place, reason="verdict drop" if dropped else "", dropped=dropped
    )
