"""`cilium monitor -v`: each event with the layers of its packet, between lines of dashes.

CPU 01: MARK 0xb7b4dd32 FROM 1833 DROP: 66 bytes, reason Policy denied, identity 5->2
Ethernet\t{Contents=[..14..] Payload=[..78..] SrcMAC=02:00:00:00:00:01 DstMAC=02:00:00:00:00:02 EthernetType=IPv4}
IPv4\t{Contents=[..20..] Payload=[..32..] Version=4 … Protocol=TCP SrcIP=10.0.0.5 DstIP=10.0.0.9}
TCP\t{Contents=[..32..] SrcPort=40000(safetynetp) DstPort=80(http) … SYN=true}
------------------------------------------------------------------------------

The event stands before its layers or behind them (pkg/monitor: one is buffered).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from backend.forensics.dumps import DropEvent, Dump
from workers.decode.dumps.fields import canonical_address, numbered

KIND = "drops"

_EVENT = re.compile(
    r"CPU \d{2,3}: MARK 0x[0-9a-f]{1,8} FROM \d{1,6} "
    r"(?P<what>[\w-]{2,24}(?: [\w-]{2,24})?):? (?P<text>.{0,300})$"
)
_REASON = re.compile(r"reason (?P<reason>[^,]{1,120})")
_LAYER = re.compile(r"(?P<name>[A-Z][A-Za-z0-9]{1,24})\t\{(?P<fields>.*)$")
_ADDRESSES = re.compile(r"\bSrcIP=(?P<source>[0-9a-fA-F.:]{2,45}) DstIP=(?P<destination>[0-9a-fA-F.:]{2,45})")
_PORTS = re.compile(r"\bSrcPort=(?P<source>\d{1,5})(?:\([\w-]{1,32}\))? DstPort=(?P<destination>\d{1,5})")
_RULE = re.compile(r"-{40,}\s*$")
_BYTES = re.compile(r"(?:[0-9a-f]{8}  )(?:[0-9a-f]{2} {1,2}){1,16}")


def recognise(head: Sequence[str]) -> float:
    """Sure when an event or a layer is there."""
    return 1.0 if any(map(owns_line, head)) else 0.0


def owns_line(line: str) -> bool:
    """An event, or a layer as gopacket prints it."""
    layer = _LAYER.match(line) if "\t{" in line[:26] else None
    return (layer is not None and "Contents=" in line[:60]) or (
        line[:4] == "CPU " and _EVENT.match(line) is not None
    )


def starts_anew(previous: str, line: str) -> bool:
    """What a monitor prints is one listing."""
    return False


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """One record for each event; its ends are those of the innermost layers."""
    events: list[DropEvent] = []
    strange: list[int] = []
    event, ends = None, {}  # type: DropEvent | None, dict[str, str]
    for number, line in numbered(lines, first_line):
        found, layer = _EVENT.match(line), _LAYER.match(line)
        if _RULE.match(line):
            events += [] if event is None else [_with_ends(event, ends)]
            event, ends = None, {}
        elif found is not None:
            event = _event(found, number)
        elif layer is not None:
            ends.update(_ends(layer["name"], layer["fields"]))
        elif not _BYTES.match(line):
            strange.append(number)
    events += [] if event is None else [_with_ends(event, ends)]
    return Dump(KIND, len(lines), tuple(strange), drops=tuple(events))


def _event(found: re.Match[str], number: int) -> DropEvent:
    dropped = found["what"] == "DROP"
    reason = _REASON.search(found["text"]) if dropped else None
    return DropEvent(
        number, "cilium-monitor", reason["reason"].strip() if reason else "", "", dropped=dropped
    )


def _ends(name: str, fields: str) -> dict[str, str]:
    addresses, ports = _ADDRESSES.search(fields), _PORTS.search(fields)
    ends = dict(addresses.groupdict()) if addresses else {}
    if ports is not None:
        ends |= {f"{side}_port": ports[side] for side in ("source", "destination")} | {
            "protocol": name.lower()
        }
    return ends


def _with_ends(event: DropEvent, ends: dict[str, str]) -> DropEvent:
    ports = {side: int(ends[side]) & 0xFFFF for side in ("source_port", "destination_port") if side in ends}
    return replace(
        event, protocol=ends.get("protocol", ""), source=canonical_address(ends.get("source", "")) or "",
        destination=canonical_address(ends.get("destination", "")) or "",
        source_port=ports.get("source_port"), destination_port=ports.get("destination_port"),
    )  # fmt: skip
