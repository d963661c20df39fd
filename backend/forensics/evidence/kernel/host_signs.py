"""What the listings of one host show of the host itself: its addresses, what it listens on, whether it forwards."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from backend.forensics.evidence.kernel.counters import DumpInput, KernelFacts
from backend.forensics.evidence.kernel.kernel_signs import counter_rise, settings_of

_ANY_ADDRESS = frozenset(("*", "0.0.0.0", "::"))


@dataclass(frozen=True)
class HostSigns:
    """Of one host. `name` is "" for listings that name none."""

    name: str
    kernel: KernelFacts

    @property
    def dumps(self) -> tuple[DumpInput, ...]:
        return self.kernel.dumps

    @cached_property
    def addresses(self) -> frozenset[str]:
        """That it says are its own: `ip addr`, source addresses of `ip route`, ends of its sockets."""
        own = {a.address for d in self.dumps for a in d.dump.addresses}
        own |= {s.local for d in self.dumps for s in d.dump.tcp_sockets}
        own |= {s.address for d in self.dumps for s in d.dump.listen_sockets}
        return frozenset(own - _ANY_ADDRESS)

    @cached_property
    def interfaces(self) -> frozenset[str]:
        """Names of those with an address that `ip addr` prints, the loopback left out."""
        own = (a for d in self.dumps for a in d.dump.addresses)
        return frozenset(a.interface for a in own if a.address in self.interface_addresses)

    @cached_property
    def interface_addresses(self) -> frozenset[str]:
        """That `ip addr` prints, without those of the loopback."""
        own = {a.address for d in self.dumps for a in d.dump.addresses}
        return frozenset(a for a in own if not ipaddress.ip_address(a).is_loopback)

    @cached_property
    def listens(self) -> frozenset[tuple[str, int]]:
        """(address, port) of its listening sockets; the address "" for all of them."""
        return frozenset(
            ("" if s.address in _ANY_ADDRESS else s.address, s.port)
            for d in self.dumps
            for s in d.dump.listen_sockets
        )

    @cached_property
    def listeners_shown(self) -> bool:
        """`ss -lnt` printed something: a port that is not in it has no listener."""
        return bool(self.listens)

    @cached_property
    def link_addresses(self) -> frozenset[str]:
        """Hardware addresses of its interfaces."""
        found = {i.link_address for d in self.dumps for i in d.dump.interfaces}
        return frozenset(found - {"", "00:00:00:00:00:00"})

    @cached_property
    def neighbors(self) -> dict[str, str]:
        """Hardware address by address, of the hosts on its segments."""
        return {n.address: n.link_address for d in self.dumps for n in d.dump.neighbors if n.link_address}

    @cached_property
    def forwards(self) -> bool | None:
        """Whether it passes on what is not for itself; None where nothing says so."""
        rise = counter_rise(self.kernel, "nstat", "IpForwDatagrams")
        if rise is not None:
            return rise.by > 0
        said = {value for value, _ in settings_of(self.kernel, "net.ipv4.ip_forward")}
        return False if said == {"0"} else None

    def listens_at(self, address: str, port: int) -> bool:
        """A socket of it takes connections to this endpoint."""
        return ("", port) in self.listens or (address, port) in self.listens

    @cached_property
    def times_ns(self) -> tuple[int, int] | None:
        """When its listings were taken: first and last."""
        times = [d.dump.captured_at_ns for d in self.dumps if d.dump.captured_at_ns is not None]
        return (min(times), max(times)) if times else None


def list_hosts(dumps: Sequence[DumpInput], names: Sequence[str]) -> tuple[HostSigns, ...]:
    """One for each name, by name; `names` stand beside the dumps."""
    from backend.forensics.evidence.kernel.counters import gather_kernel_facts

    by_name: dict[str, list[DumpInput]] = {}
    for each, name in zip(dumps, names, strict=True):
        by_name.setdefault(name, []).append(each)
    return tuple(HostSigns(name, gather_kernel_facts(by_name[name])) for name in sorted(by_name))
