"""Containers and compressions for the table of formats: each row names the test file that shows it.

This is the one place to add a row when another one is read."""

from __future__ import annotations

from dataclasses import dataclass

from workers.decode.unpacking import COMPRESSIONS


@dataclass(frozen=True)
class Container:
    """A row of the table; `test` is a file beside this one."""

    name: str
    told: str
    test: str


CONTAINERS: tuple[Container, ...] = (
    Container("pcap", "both byte orders, microseconds and nanoseconds", "test_formats.py"),
    Container("pcap, modified by patched libpcaps and vendors", "packets and times", "test_pcap_variants.py"),
    Container(
        "pcapng",
        "enhanced, simple and obsolete packet blocks; sections of either byte order; interface names, time "
        "resolution and offset, drops counted by the capturing kernel",
        "test_pcapng_blocks.py",
    ),
    Container("snoop", "packets and times", "test_pcap_variants.py"),
    *(Container(name, "unpacked as a stream, within limits", "test_unpacking.py") for name in COMPRESSIONS),
    Container("tar and zip", "every capture and dump inside, nested, within limits", "test_bundles.py"),
)
