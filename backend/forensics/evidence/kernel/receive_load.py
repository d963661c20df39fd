"""How the CPUs of one host share what arrives: /proc/net/softnet_stat, as rises between listings or since boot.

net/core/dev.c: enqueue_to_backlog() counts a packet as dropped when the CPU's queue holds netdev_max_backlog packets;
net_rx_action() counts a time_squeeze when its budget (netdev_budget, netdev_budget_usecs) ends before its queues are
empty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from backend.forensics.evidence.kernel.counters import DumpInput, KernelFacts
from backend.forensics.evidence.kernel.kernel_signs import Line

SOFTNET: Final = "softnet-stat"


@dataclass(frozen=True)
class ReceiveLoad:
    """By CPU. `listings`: 1 where the numbers count from boot on, else those between the first and the last."""

    processed: dict[int, int]
    dropped: dict[int, int]
    squeezed: dict[int, int]
    listings: int
    lines: dict[int, tuple[Line, ...]]
    """Of each CPU, in the listings that were compared."""

    @property
    def total(self) -> int:
        """Packets of all CPUs."""
        return sum(self.processed.values())

    @property
    def busiest(self) -> int:
        """The CPU that took most packets."""
        return max(self.processed, key=lambda cpu: (self.processed[cpu], -cpu))

    @property
    def busiest_ratio(self) -> float:
        """The busiest CPU's share of all packets."""
        return self.processed[self.busiest] / self.total if self.total else 0.0

    def of(self, cpus: Sequence[int]) -> list[Line]:
        """The lines of these CPUs."""
        return [line for cpu in cpus for line in self.lines[cpu]]


def find_receive_load(kernel: KernelFacts) -> ReceiveLoad | None:
    """Of one host; None without a listing."""
    listed = [each for each in kernel.dumps if each.dump.kind == SOFTNET and each.dump.counters]
    if not listed:
        return None
    ordered = sorted(listed, key=_order)
    first, last = ordered[0], ordered[-1]
    if first is last:
        return _between(None, last, 1)
    load = _between(first, last, len(listed))
    fell = any(
        value < 0 for column in (load.processed, load.dropped, load.squeezed) for value in column.values()
    )
    return _between(None, last, 1) if fell else load


def _order(each: DumpInput) -> tuple[int, int]:
    processed = sum(row.counters.get("processed", 0) for row in each.dump.counters)
    return each.dump.captured_at_ns or 0, processed


def _between(first: DumpInput | None, last: DumpInput, listings: int) -> ReceiveLoad:
    """CPUs that only one of the listings has are left out: they were switched on or off in between."""
    after = {row.cpu or 0: row for row in last.dump.counters}
    before = {row.cpu or 0: row for row in first.dump.counters} if first else {}
    cpus = sorted(after.keys() & before.keys()) if first else sorted(after)
    columns: list[dict[int, int]] = []
    for name in ("processed", "dropped", "time_squeeze"):
        was = {cpu: before[cpu].counters.get(name, 0) if cpu in before else 0 for cpu in cpus}
        columns.append({cpu: after[cpu].counters.get(name, 0) - was[cpu] for cpu in cpus})
    lines: dict[int, tuple[Line, ...]] = {}
    for cpu in cpus:
        own = (last.input, after[cpu].line)
        lines[cpu] = ((first.input, before[cpu].line), own) if first else (own,)
    return ReceiveLoad(columns[0], columns[1], columns[2], listings, lines)
