"""`bridge fdb`, `bridge link`, `bridge vlan` and `brctl show`: ports of bridges and what they learned.

02:ab:cd:00:00:01 dev flannel.1 dst 172.16.0.3 self permanent
4: veth1a2b@if3: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1450 master cni0 state forwarding priority 32 cost 2
    hairpin on guard off root_block off fastleave off learning on flood on
port              vlan-id
veth0             1 PVID Egress Untagged
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from backend.forensics.dumps import BridgePort, BridgeVlan, Dump, ForwardingEntry
from workers.decode.dumps.fields import numbered

KIND = "bridge"

_ENTRY = re.compile(
    r"(?P<link>(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2})"
    r"(?: dev (?P<interface>[^\s/]{1,15})| (?=dst |master |self ))(?P<rest>.{0,300})$"
)
_PORT = re.compile(
    r"\d{1,9}: (?P<interface>[^\s/:@]{1,15})(?:@\S{1,16})?: <\S{0,200}> mtu \d{1,6} master (?P<master>[^\s/]{1,15}) "
    r"state (?P<state>\w{1,20})"
)
_FLAGS = re.compile(r"\s{2,12}hairpin (?P<hairpin>on|off) ")
_MORE_FLAGS = re.compile(r"\s{2,12}\w{2,30} (?:on|off)(?: \w{2,30} (?:on|off|\d{1,6})){0,20}\s*$")
_VLAN_TITLE = re.compile(r"port\s+vlan(?:-id|\(s\)| ids)?\s*")
_VLAN = re.compile(
    r"(?P<interface>[^\s/]{1,15})?\s{1,40}(?P<vlans>\d{1,4}(?:-\d{1,4})?)"
    r"(?P<flags>(?: PVID| Egress Untagged| untagged){0,3})\s*$"
)
_DESTINATION = re.compile(r"\bdst (?P<address>\S{1,45})")
_BRCTL_TITLE = re.compile(r"bridge name\s+bridge id\s+STP enabled\s+interfaces")
_BRCTL = re.compile(
    r"(?P<bridge>[^\s/]{1,15})\s+[0-9a-f]{4}\.[0-9a-f]{12}\s+(?:yes|no)(?:\s+(?P<interface>[^\s/]{1,15}))?\s*$"
)
_BRCTL_MORE = re.compile(r"\s{8,}(?P<interface>[^\s/]{1,15})\s*$")


def recognise(head: Sequence[str]) -> float:
    """Sure when a line is there that nothing else prints."""
    return 1.0 if any(owns_line(line) for line in head) else 0.0


def owns_line(line: str) -> bool:
    """Entries, ports, titles; what is set in follows its port or title."""
    return bool(
        _ENTRY.match(line)
        or _PORT.match(line)
        or _FLAGS.match(line)
        or _VLAN_TITLE.fullmatch(line.rstrip())
        or _BRCTL_TITLE.match(line)
        or _BRCTL.match(line)
    )


def starts_anew(previous: str, line: str) -> bool:
    """The listings of a host's bridges belong together."""
    return False


def parse(lines: Sequence[str], first_line: int) -> Dump:
    """Entries, ports and VLANs."""
    reader = _Reader()
    strange = [number for number, line in numbered(lines, first_line) if not reader.read(line, number)]
    return Dump(
        KIND,
        len(lines),
        tuple(strange),
        forwarding=tuple(reader.entries),
        bridge_ports=tuple(reader.ports),
        bridge_vlans=tuple(reader.vlans),
    )


class _Reader:
    def __init__(self) -> None:
        self.entries: list[ForwardingEntry] = []
        self.ports: list[BridgePort] = []
        self.vlans: list[BridgeVlan] = []
        self._vlan_port = ""
        self._in_vlans = False
        self._bridge = ""

    def read(self, line: str, number: int) -> bool:
        """Whether the line was understood."""
        entry, port, flags = _ENTRY.match(line), _PORT.match(line), _FLAGS.match(line)
        if entry is not None:
            destination = _DESTINATION.search(entry["rest"])
            address = destination["address"] if destination else ""
            rest = entry["rest"].strip()
            self.entries.append(
                ForwardingEntry(number, entry["link"].lower(), entry["interface"] or "", address, rest)
            )
        elif port is not None:
            self.ports.append(BridgePort(number, port["interface"], port["master"], port["state"]))
        elif flags is not None and self.ports:
            self.ports[-1] = replace(self.ports[-1], hairpin=flags["hairpin"] == "on")
        elif _MORE_FLAGS.match(line):
            return bool(self.ports)
        else:
            return self._read_table(line, number)
        return True

    def _read_table(self, line: str, number: int) -> bool:
        if _VLAN_TITLE.fullmatch(line.rstrip()) or _BRCTL_TITLE.match(line):
            self._in_vlans, self._bridge = not _BRCTL_TITLE.match(line), ""
            return True
        row, more = _BRCTL.match(line), _BRCTL_MORE.match(line)
        if row is not None or (more is not None and self._bridge):
            self._bridge = row["bridge"] if row else self._bridge
            interface = (row or more)["interface"]  # type: ignore[index]
            self.ports += [BridgePort(number, interface, self._bridge, "")] if interface else []
            return True
        vlan = _VLAN.match(line) if self._in_vlans else None
        if vlan is None:
            return False
        self._vlan_port = vlan["interface"] or self._vlan_port
        self.vlans.append(BridgeVlan(number, self._vlan_port, vlan["vlans"], vlan["flags"].strip()))
        return True
