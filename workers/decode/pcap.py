"""Classic pcap: one header, one link type, records to the end."""

from __future__ import annotations

import struct
from typing import Final

from workers.decode.identify import PCAP_MAGICS
from workers.decode.interfaces import Interface, snap_limit
from workers.decode.loop.records import BAD_LENGTH, NEED_BYTES
from workers.decode.loop.walk import walk_pcap
from workers.decode.reading import Reading

HEADER_BYTES: Final = 24


def read_pcap(reading: Reading) -> None:
    """Reads all packets of a classic pcap file."""
    window = reading.window
    window.refill(0)
    if window.end < HEADER_BYTES:
        reading.warn(f"The file header is cut short at byte {window.end:,}. No packet follows it.")
        return
    header = window.buffer[:HEADER_BYTES].tobytes()
    big, fraction_ns = PCAP_MAGICS[header[:4]]
    snap_length, link_type = struct.unpack(">II" if big else "<II", header[16:24])
    # The upper half of the field may tell the length of the frame check sequence.
    resolution = 6 if fraction_ns == 1000 else 9
    interface = Interface(0, 0, link_type & 0xFFFF, snap_limit(snap_length), resolution=resolution)
    reading.set_interfaces([interface])
    reading.state["position"] = HEADER_BYTES
    while True:
        walk_pcap(window.buffer, window.end, big, *reading.tables.arguments())
        reason = reading.state["reason"]
        if reason == BAD_LENGTH:
            reading.damaged_length()
            return
        if reason != NEED_BYTES:
            reading.make_room()
        elif not reading.read_on():
            reading.check_tail()
            return
