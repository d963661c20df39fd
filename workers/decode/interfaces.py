"""The interfaces of a capture file: link type, time stamps, and what their vantage points are called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from workers.decode.loop.records import (
    LINK_CISCO_HDLC,
    LINK_COOKED_1,
    LINK_COOKED_2,
    LINK_ETHERNET,
    LINK_LOOPBACK,
    LINK_NFLOG,
    LINK_PPP,
    LINK_PPP_DIRECTION,
    LINK_PPPOE,
    LINK_RADIOTAP,
    LINK_RAW_IP,
    LINK_UNKNOWN,
    LINK_WIRELESS,
    MAX_VANTAGES,
)

_LINKS: Final = {
    0: LINK_LOOPBACK,
    1: LINK_ETHERNET,
    9: LINK_PPP,
    12: LINK_RAW_IP,
    14: LINK_RAW_IP,
    50: LINK_PPP,
    51: LINK_PPPOE,
    101: LINK_RAW_IP,
    104: LINK_CISCO_HDLC,
    105: LINK_WIRELESS,
    108: LINK_LOOPBACK,
    113: LINK_COOKED_1,
    127: LINK_RADIOTAP,
    166: LINK_PPP_DIRECTION,
    204: LINK_PPP_DIRECTION,
    228: LINK_RAW_IP,
    229: LINK_RAW_IP,
    239: LINK_NFLOG,
    276: LINK_COOKED_2,
}
COOKED_2: Final = 276
MAX_SNAP_LENGTH: Final = 262_144
"""What libpcap and Wireshark write at most for one packet of a network."""
MAX_INTERFACES: Final = MAX_VANTAGES
"""Of one file, over all of its sections. Each becomes a vantage point, which the analysis compares with others and
every report lists; the largest honest captures describe some hundred (a node's pods, merged rotated files)."""
LARGEST_PACKET: Final = (16 << 20) - 4096
"""A packet or block must fit into the buffer."""


@dataclass
class Interface:
    """One interface block (or the whole file, in classic pcap)."""

    number: int
    """Over all sections of the file."""
    section: int
    link_type: int
    snap_length: int
    stated_snap_length: int = 0
    """As the file says; 0 means no limit, or that it does not say."""
    name: str = ""
    description: str = ""
    filter: str = ""
    """The capture filter as libpcap's text, where the file states it."""
    resolution: int = 6
    """if_tsresol: ticks of 10^-n s, or with bit 7 set of 2^-n s."""
    offset_s: int = 0
    dropped: int | None = None
    merged: bool = False
    """Whether the section was written by a program that merges capture files."""

    def fill(self, record: np.void) -> None:
        """Writes what the loop needs to know into an INTERFACE_DTYPE record."""
        record["link"] = _LINKS.get(self.link_type, LINK_UNKNOWN)
        record["snap_length"] = self.snap_length
        record["offset_ns"] = self.offset_s * 1_000_000_000
        record["multiply"] = record["divide"] = record["shift"] = 0
        exponent = self.resolution & 0x7F
        if self.resolution & 0x80:
            record["shift"] = min(exponent, 63)
        elif exponent <= 9:
            record["multiply"] = 10 ** (9 - exponent)
        else:
            record["divide"] = 10 ** min(exponent - 9, 18)
        record["vantage"] = -1
        record["number"] = self.number
        record["undecoded"] = record["comments"] = record["dropped"] = 0

    @property
    def resolution_ns(self) -> int:
        """Nanoseconds per tick, at least 1."""
        exponent = self.resolution & 0x7F
        if self.resolution & 0x80:
            return max(1, round(1e9 / (1 << exponent)))
        nanoseconds: int = 10 ** max(0, 9 - exponent)
        return nanoseconds


def snap_limit(snap_length: int) -> int:
    """Longer records than this are damage. Some writers leave the field 0 or write more than it says."""
    return min(max(snap_length, MAX_SNAP_LENGTH), LARGEST_PACKET)
