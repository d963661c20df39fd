"""The one record that the compiled rewriting works on."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from backend.forensics.packets import PACKET_DTYPE
from workers.decode.loop.records import INTERFACE_DTYPE, LAYER_DTYPE, MAX_DEPTH, STATE_DTYPE

# Why the loop stopped.
NEED_BYTES: Final = 0
"""The end of the file, or what is left of it is no whole record."""
WANTS_ADDRESSES: Final = 1
TARGET_FULL: Final = 2
OTHER_BLOCK: Final = 3
DAMAGED: Final = 4
NOTES_FULL: Final = 5

SLOTS: Final = 1 << 18
WANTED: Final = 256
NOTES: Final = 1 << 14
SUMS: Final = 3 * MAX_DEPTH
INTERFACES: Final = 1 << 12

IPV4_KIND, IPV6_KIND, MAC_KIND = 1, 2, 3

WORK_DTYPE: Final = np.dtype(
    [
        ("position", "<i8"),  # in the source: the next record
        ("written", "<i8"),  # bytes of the target
        ("reason", "<i8"),
        ("frame", "<i8"),  # packets written so far
        ("wanted", "<i8"),  # addresses that the packet at hand needs
        ("slots", "<i8"),  # used ones
        ("chosen", "<i8"),  # place in the list of frames whose payload is noted
        ("notes", "<i8"),
        ("sums", "<i8"),  # checksums of the packet at hand
        ("interfaces", "<i8"),  # of this section
        ("shift", "<i8"),  # from a place in the source to the same one in the target
        ("start", "<i8"),  # of the packet at hand, in the source
        ("end", "<i8"),
        ("original", "<i8"),  # its length on the wire
        ("address_at", "<i8"),  # of its innermost IP header's addresses
        ("address_bytes", "<i8"),
        ("payload_at", "<i8"),  # of its innermost TCP or UDP header, or -1
        ("payload_end", "<i8"),
    ]
)

ADDRESS_DTYPE: Final = np.dtype(
    [("high", "<u8"), ("low", "<u8"), ("new_high", "<u8"), ("new_low", "<u8"), ("kind", "<i8")]
)
"""An address, as 128 bits, and the one that stands for it; `kind` 0 is an unused slot."""

PLAIN_SUM, PSEUDO_SUM, UDP_SUM, HEADER_SUM = 0, 1, 2, 3

SUM_DTYPE: Final = np.dtype(
    [
        ("sort", "<i8"),
        ("field", "<i8"),  # in the source, as the next two
        ("begin", "<i8"),
        ("end", "<i8"),  # of what was captured of its bytes
        ("before", "<i8"),  # of the pseudo header
        ("after", "<i8"),
    ]
)
"""A checksum (RFC 1071) of the packet at hand. HEADER_SUM is IPv4's, which covers no payload."""

NOTE_DTYPE: Final = np.dtype(
    [
        ("frame", "<i8"),
        ("at", "<i8"),  # of the payload, in the source
        ("place", "<i8"),  # of it, in the target
        ("bytes", "<i8"),
        ("field", "<i8"),  # of the checksum that covers it, in the target, or -1
    ]
)

ANONYMISER_DTYPE: Final = np.dtype(
    [
        ("work", WORK_DTYPE, (1,)),
        ("states", STATE_DTYPE, (1,)),
        ("layers", LAYER_DTYPE, (MAX_DEPTH,)),
        ("rows", PACKET_DTYPE, (1,)),
        ("interfaces", INTERFACE_DTYPE, (INTERFACES,)),
        ("slots", ADDRESS_DTYPE, (SLOTS,)),
        ("wanted", ADDRESS_DTYPE, (WANTED,)),
        ("sums", SUM_DTYPE, (SUMS,)),
        ("notes", NOTE_DTYPE, (NOTES,)),
    ]
)

Anonymiser = Any
"""The record of ANONYMISER_DTYPE inside compiled code."""
