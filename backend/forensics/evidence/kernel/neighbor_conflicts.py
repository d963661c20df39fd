"""Neighbor entries against the listing of the host that has the address: another MAC address, or two hosts with one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from backend.forensics.evidence.kernel.host_signs import HostSigns
from backend.forensics.evidence.kernel.kernel_signs import Line

_LOCAL_BRIDGES: Final = (
    "docker",
    "br-",
    "cni",
    "cbr",
    "virbr",
    "lo",
    "kube-",
    "nodelocaldns",
    "cilium_",
    "cali",
)
"""Interfaces whose address every machine has for itself (docker0's 172.17.0.1): no other host can ask for it."""
_EVERYWHERE: Final = ("127.", "169.254.", "fe80:", "::1")


@dataclass(frozen=True)
class NeighborConflict:
    """`asker` lists `address` with the MAC address `listed`; `owner` has the address on `interface` with `own`."""

    asker: HostSigns
    owner: HostSigns
    address: str
    interface: str
    listed: str
    own: str
    state: str
    lines: tuple[Line, ...]
    """The entry, the owner's address and its MAC address."""


@dataclass(frozen=True)
class _Owned:
    host: HostSigns
    interface: str
    line: Line


def find_neighbor_conflicts(hosts: Sequence[HostSigns]) -> list[NeighborConflict]:
    """In the order of the entries. Linear in the entries and addresses."""
    owners = _owners(hosts)
    found = []
    for host in hosts:
        for each in host.dumps:
            for entry in each.dump.neighbors:
                owned = owners.get(entry.address)
                if owned is None or not entry.link_address or owned.host is host:
                    continue
                own = _link_of(owned)
                if own is None or entry.link_address.lower() in owned.host.link_addresses:
                    continue
                lines = ((each.input, entry.line), owned.line, own[1])
                found.append(
                    NeighborConflict(
                        host, owned.host, entry.address, owned.interface,
                        entry.link_address.lower(), own[0], entry.state, lines,
                    )
                )  # fmt: skip
    return found


def _owners(hosts: Sequence[HostSigns]) -> dict[str, _Owned]:
    """By address the one host that has it; addresses of several hosts and of local bridges are left out."""
    found: dict[str, _Owned] = {}
    shared = set()
    for host in hosts:
        for each in host.dumps:
            for own in each.dump.addresses:
                local = own.interface.startswith(_LOCAL_BRIDGES) or own.address.startswith(_EVERYWHERE)
                if each.dump.kind != "ip-addr" or local:
                    continue
                before = found.setdefault(own.address, _Owned(host, own.interface, (each.input, own.line)))
                if before.host is not host:
                    shared.add(own.address)
    return {address: owned for address, owned in found.items() if address not in shared}


def _link_of(owned: _Owned) -> tuple[str, Line] | None:
    """(MAC address, line) of the interface that has the address."""
    for each in owned.host.dumps:
        for interface in each.dump.interfaces:
            if interface.name == owned.interface and interface.link_address:
                return interface.link_address.lower(), (each.input, interface.line)
    return None
