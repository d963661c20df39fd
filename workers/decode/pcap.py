"""Classic pcap: one header, one link type, records to the end. Snoop (RFC 1761) is much the same."""

from __future__ import annotations

import struct
from typing import Final

from workers.decode.growing import Records
from workers.decode.interfaces import Interface, snap_limit
from workers.decode.loop.records import BAD_LENGTH, NEED_BYTES
from workers.decode.loop.walk import walk_pcap
from workers.decode.pcap_variants import HEADER_BYTES, PcapVariant, read_variant
from workers.decode.reading import Reading
from workers.decode.stated_headers import pcap_remarks
from workers.decode.translated import SWAPPED_CODES, TranslatedSource, make_layout
from workers.decode.undecoded import SNOOP_LINKS

SNOOP_HEADER_BYTES: Final = 16
_SNOOP_RECORD_BYTES: Final = 24
_SNOOP_LINKS: Final = {0: 1, 2: 6, 4: 1, 8: 10}
"""Datalink numbers of RFC 1761 -> LINKTYPE_ numbers: 802.3, Token Ring, Ethernet, FDDI."""


def read_pcap(reading: Reading) -> None:
    """Reads all packets of a classic pcap file, whatever its variant."""
    window = reading.window
    if not _has_header(reading, HEADER_BYTES):
        return
    variant = read_variant(window.buffer[: window.end].data)
    reading.notes += pcap_remarks(window.buffer[:HEADER_BYTES].tobytes(), big=variant.big)
    limit = snap_limit(variant.snap_length)
    interface = Interface(0, 0, variant.link_type, limit, resolution=6 if variant.fraction_ns > 1 else 9)
    interface.stated_snap_length = variant.snap_length
    reading.set_interfaces([interface])
    reading.format_variant = variant.name
    if variant.is_usual:
        reading.state["position"] = variant.first_record
        _walk(reading, variant.big)
        return
    reading.translate(TranslatedSource(window, variant.first_record, pcap_layout(variant)))
    _walk(reading, big=False)


def read_snoop(reading: Reading) -> None:
    """Reads all packets of a snoop file, version 2; always big-endian."""
    if not _has_header(reading, SNOOP_HEADER_BYTES):
        return
    version, link = struct.unpack_from(">II", reading.window.buffer[:SNOOP_HEADER_BYTES].data, 8)
    if version != 2:
        reading.warn(f"This is version {version} of the snoop format; only version 2 is read.")
        return
    link_type = snoop_link_type(link)
    limit = snap_limit(0)
    interface = Interface(0, 0, link_type, limit, resolution=6)
    reading.set_interfaces([interface])
    source = TranslatedSource(reading.window, SNOOP_HEADER_BYTES, snoop_layout())
    reading.translate(source)
    _walk(reading, big=False)
    interface.dropped = source.dropped


def _has_header(reading: Reading, length: int) -> bool:
    reading.window.refill(0)
    if reading.window.end >= length:
        return True
    reading.warn(f"The file header is cut short at byte {reading.window.end:,}. No packet follows it.")
    return False


def pcap_layout(variant: PcapVariant) -> Records:
    """Where the parts of a record of this variant lie."""
    return make_layout(
        header=variant.record_header, seconds_at=0, captured_at=8, original_at=12,
        limit=snap_limit(variant.snap_length), swapped=SWAPPED_CODES[variant.lengths_swapped], big=int(variant.big),
    )  # fmt: skip


def snoop_link_type(link: int) -> int:
    """The LINKTYPE_ number of a datalink type of RFC 1761."""
    return _SNOOP_LINKS.get(link, SNOOP_LINKS + link)


def snoop_layout() -> Records:
    """Where the parts of a snoop record lie."""
    return make_layout(
        header=_SNOOP_RECORD_BYTES, seconds_at=16, captured_at=4, original_at=0, record_at=8, drops_at=12,
        dropped=0, limit=snap_limit(0), big=1,
    )  # fmt: skip


def _walk(reading: Reading, big: bool) -> None:
    while True:
        window = reading.window
        walk_pcap(window.buffer, window.end, big, *reading.tables.arguments())
        reading.read_messages()
        reason = reading.state["reason"]
        if reason == BAD_LENGTH:
            reading.damaged_length()
            return
        if reason != NEED_BYTES:
            reading.make_room()
        elif not reading.read_on():
            reading.check_tail()
            return
