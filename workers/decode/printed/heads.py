"""The head of a printed packet: when, where, between which hardware addresses, what kind of packet."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from workers.decode.printed.headers import NOTHING_SHOWN, IpShown
from workers.decode.printed.lines import CLOCK, MAC

_HEAD = re.compile(
    rf"(?P<blank>\s{{0,4}})(?:(?P<clock>{CLOCK})\s{{1,3}})?"
    r"(?:(?P<interface>\S{1,24})\s{1,12}(?=(?:In|Out|B|M|P)\s))?(?:(?P<direction>In|Out|B|M|P)\s{1,3})?"
)
_OUI: Final = r"(?: \((?:oui )?[^)]{1,60}\))?"
_LINK = re.compile(
    rf"(?:(?P<source>{MAC}){_OUI} > (?P<destination>{MAC}|Broadcast){_OUI}, |"
    rf"(?:ifindex (?P<index>\d{{1,9}}) )?(?P<sender>{MAC}){_OUI},? )"
    r"(?:ethertype )?(?P<type>[^,(]{1,40}?)(?: \((?P<number>0x[0-9a-f]{4})\))?, length (?P<length>\d{1,9}): "
)
_VLAN = re.compile(
    r"vlan (?P<id>\d{1,4}), p \d(?:, DEI)?, (?:ethertype (?P<type>[^,(]{1,40}?)(?: \(0x[0-9a-f]{4}\))?, )?"
)
_FAMILY = re.compile(r"(?P<type>IP6|IP|ARP|ip6|ip)(?:,|:)? (?:truncated-ip6? - \d{1,6} bytes missing! ?)?")
_HEADER4 = re.compile(r"\((?P<tos>tos [^()]{0,300}(?:\([^()]{0,80}\)[^()]{0,200}){0,4})\)\s*")
_HEADER6 = re.compile(
    r"\((?P<fields>(?:class|flowlabel|hlim) [^()]{0,200}(?:\([^()]{0,80}\)[^()]{0,200}){0,3})\)\s*"
)
_TTL = re.compile(r"ttl\s{1,2}(\d{1,3})")
_HLIM = re.compile(r"hlim (\d{1,3})")
_ID = re.compile(r"\bid (\d{1,5})")
_OFFSET = re.compile(r"offset (\d{1,5})")
_FLAGS = re.compile(r"flags \[([^\]]{0,20})\]")
_TOS = re.compile(r"tos 0x([0-9a-f]{1,2})")
_PROTOCOL = re.compile(r"(?:proto|next-header) [\w-]{1,20} \((\d{1,3})\)")
_PAYLOAD = re.compile(r"payload length: (\d{1,6})")
_LENGTH = re.compile(r"\blength:? (\d{1,6})\s*(?:,|$)")
_TYPES: Final = {"IPv4": "IP", "IPv6": "IP6", "ARP": "ARP", "IP": "IP", "IP6": "IP6"}


@dataclass(slots=True)
class Head:
    """What stands before the addresses of IP."""

    clock: str
    set_in: bool
    """Whether blanks stand before the time: differences between packets are printed so."""
    interface: str = ""
    direction: str = ""
    source: str = ""
    destination: str = ""
    """Hardware addresses, "" where none are printed."""
    kind: str = ""
    """``IP``, ``IP6``, ``ARP``, or what else the program calls it."""
    vlans: tuple[int, ...] = ()
    frame_bytes: int | None = None
    shown: IpShown = NOTHING_SHOWN
    protocol: int | None = None
    ip_bytes: int | None = None
    """Of the whole IP packet, where `-v` prints it."""
    rest: str = ""


def read_head(text: str) -> Head:
    """The head of a packet's text, and the rest behind it."""
    begun = _HEAD.match(text)
    assert begun is not None, "every part of it may be absent"
    head = Head(
        begun["clock"] or "", bool(begun["blank"]), begun["interface"] or "", begun["direction"] or ""
    )
    at = _read_link(head, text, begun.end())
    family = _FAMILY.match(text, at)
    if family is not None:
        head.kind, at = family["type"].upper(), family.end()
    elif not head.kind:
        head.kind = "IP6" if text.partition(" >")[0].count(":") > 4 else "IP"
    if head.kind in ("IP", "IP6"):
        at = _read_ip(head, text, at)
    head.rest = text[at:]
    return head


def _read_link(head: Head, text: str, at: int) -> int:
    link = _LINK.match(text, at)
    if link is None:
        return at
    head.source = link["source"] or link["sender"] or ""
    head.destination = link["destination"] or ""
    head.kind, head.frame_bytes = _TYPES.get(link["type"].strip(), link["type"].strip()), int(link["length"])
    at = link.end()
    while (vlan := _VLAN.match(text, at)) is not None:
        head.vlans = (*head.vlans, int(vlan["id"]))
        if vlan["type"]:
            head.kind = _TYPES.get(vlan["type"].strip(), vlan["type"].strip())
        at = vlan.end()
    return at


def _read_ip(head: Head, text: str, at: int) -> int:
    pattern = _HEADER4 if head.kind == "IP" else _HEADER6
    header = pattern.match(text, at)
    if header is None:
        return at
    fields = header[1]
    flags, offset = _FLAGS.search(fields), _number(_OFFSET, fields)
    bits = (0x4000 if flags and "DF" in flags[1] else 0) | (0x2000 if flags and "+" in flags[1] else 0)
    tos = _TOS.search(fields)
    head.shown = IpShown(
        ttl=_number(_TTL if head.kind == "IP" else _HLIM, fields),
        identification=_number(_ID, fields),
        fragment=bits | offset // 8,
        tos=int(tos[1], 16) if tos else 0,
    )
    protocol = _PROTOCOL.search(fields)
    head.protocol = int(protocol[1]) if protocol else None
    length = _PAYLOAD.search(fields) if head.kind == "IP6" else _LENGTH.search(fields)
    if length is not None:
        head.ip_bytes = int(length[1]) + (40 if head.kind == "IP6" else 0)
    return header.end()


def _number(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.search(text)
    return int(found[1]) if found else 0
