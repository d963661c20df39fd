"""One CPU that takes nearly all packets of a host: /proc/net/softnet_stat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from backend.forensics.evidence.kernel.host_signs import HostSigns
from backend.forensics.evidence.kernel.listed_signs.sign import ListingSign
from backend.forensics.evidence.kernel.receive_load import find_receive_load
from backend.forensics.wording import percent

_ONE_CPU_RATIO: Final = 0.8
"""Share from which the others do not help; with equal queues it is 1/CPUs."""
_PACKETS_LEAST: Final = 10_000
_CPUS_LEAST: Final = 2


def receive_load_signs(hosts: Sequence[HostSigns]) -> Iterator[ListingSign]:
    """Of each host that lists it."""
    for host in hosts:
        load = find_receive_load(host.kernel)
        if load is None or len(load.processed) < _CPUS_LEAST or load.total < _PACKETS_LEAST:
            continue
        if load.busiest_ratio < _ONE_CPU_RATIO:
            continue
        squeezed = load.squeezed[load.busiest]
        rest = (
            f"; its receive budget ended {squeezed:,} times with packets left (time_squeeze)"
            if squeezed
            else ""
        )
        text = (
            f"CPU {load.busiest} took {percent(load.busiest_ratio)} of {load.total:,} packets, "
            f"of {len(load.processed)} CPUs listed{rest}."
        )
        yield ListingSign(
            "receive-load", "info", "One CPU receives nearly all packets", text,
            tuple(load.of(sorted(load.processed))), 1, "whether that CPU is busy, and whether packets were lost",
            "mpstat -P ALL 1 5; cat /proc/interrupts; cat /proc/net/softnet_stat   # twice, 10 s apart",
        )  # fmt: skip
