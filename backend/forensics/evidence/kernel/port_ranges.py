"""From which ports source NAT may choose: as a rule says, as the ports in use betray, or the kernel's default."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from backend.forensics.evidence.kernel.counters import KernelFacts

SOURCE_NAT = ("MASQUERADE", "SNAT")
DENSE_SPAN_RATIO = 1.05
"""Ports in use fill their span: nearly every port between the lowest and the highest occurs."""
USES_PER_PORT = 3.0
"""On average each port was used this often: of 64,512 free ones the kernel would not take the same again."""
LEAST_PORTS = 8
REWRITTEN_RATIO = 0.9
"""Where the client's own ports are kept, their narrow span is the client's, not the rule's."""


@dataclass(frozen=True)
class PortRange:
    """First and last port, and where that is known from."""

    first: int
    last: int
    basis: Literal["rule", "inferred", "default"]
    rules: tuple[tuple[str, int, str], ...] = ()
    """(input, line, text) of the rules with that range."""

    @property
    def ports(self) -> int:
        return self.last - self.first + 1


def default_range(port: int) -> PortRange:
    """What the kernel takes without a range, by the original port (nf_nat_core.c, nf_nat_l4proto_unique_tuple)."""
    if port < 512:
        return PortRange(1, 511, "default")
    return PortRange(600, 1023, "default") if port < 1024 else PortRange(1024, 65535, "default")


def rule_ranges(kernel: KernelFacts) -> list[PortRange]:
    """The ranges that dumped source NAT rules name, each once, with all rules that name it."""
    ranges: dict[tuple[int, int], list[tuple[str, int, str]]] = {}
    for name, rule in kernel.nat_rules():
        if rule.target in SOURCE_NAT and rule.port_range is not None:
            ranges.setdefault(rule.port_range, []).append((name, rule.line, rule.text))
    return [PortRange(*ports, "rule", tuple(ranges[ports])) for ports in sorted(ranges)]


def range_of_pool(leases: NDArray[np.void], kernel: KernelFacts) -> PortRange:
    """The narrowest range of a dumped rule that holds all ports in use; else what these ports show."""
    low, high = int(leases["port"].min()), int(leases["port"].max())
    holding = [r for r in rule_ranges(kernel) if r.first <= low and high <= r.last]
    if holding:
        return min(holding, key=lambda r: (r.ports, r.first))
    plain = any(r.target in SOURCE_NAT and r.port_range is None for _, r in kernel.nat_rules())
    if not plain and _is_dense(leases, low, high):
        return PortRange(low, high, "inferred")
    return default_range(int(leases["inner_port"].min()) or 1024)


def _is_dense(leases: NDArray[np.void], low: int, high: int) -> bool:
    distinct = len(np.unique(leases["port"]))
    if distinct < LEAST_PORTS or high - low + 1 > DENSE_SPAN_RATIO * distinct:
        return False
    rewritten = int(np.count_nonzero(leases["port"] != leases["inner_port"]))
    return len(leases) >= USES_PER_PORT * distinct and rewritten >= REWRITTEN_RATIO * len(leases)
