"""A capture as a plain pcap or pcapng file, whatever it was stored as."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Final

from backend.disk_space import room_at
from backend.errors import UnreadableInput
from backend.limits import Limits
from workers.decode.identify import identify_file
from workers.decode.open_source import open_source
from workers.decode.pcap import SNOOP_HEADER_BYTES, pcap_layout, snoop_layout, snoop_link_type
from workers.decode.pcap_variants import HEADER_BYTES, read_variant
from workers.decode.sources import ByteSource, Window
from workers.decode.translated import TranslatedSource

_PIECE: Final = 1 << 20
_MICROSECONDS, _NANOSECONDS = 0xA1B2C3D4, 0xA1B23C4D


def plain_capture(path: Path, target: Path, limits: Limits) -> Path:
    """The file itself where its frames lie in it as they are, else a plain one, written to `target`.

    Raises UnreadableInput for what is no capture, OSError."""
    identified = identify_file(path)
    if identified.kind != "capture":
        raise UnreadableInput("This is no capture, so it has no frames.")
    if not identified.compression and _is_usual(path, identified.format):
        return path
    unfinished = target.with_suffix(".part")
    with open_source(path, identified.compression, limits) as source, unfinished.open("wb") as file:
        head, rest = _usual_form(Window(source), identified.format)
        file.write(head)
        buffer = bytearray(_PIECE)
        while count := rest.read_into(memoryview(buffer)):
            lack = room_at(target.parent, limits.disk_reserve_bytes).lack_for_work(count)
            if lack:
                unfinished.unlink()
                raise UnreadableInput(f"{lack} The capture could not be unpacked.")
            file.write(memoryview(buffer)[:count])
    unfinished.rename(target)
    return target


def _is_usual(path: Path, form: str) -> bool:
    if form != "pcap":
        return form == "pcapng"
    with path.open("rb") as file:
        return read_variant(memoryview(file.read(_PIECE))).is_usual


def _usual_form(window: Window, form: str) -> tuple[bytes, ByteSource]:
    """(the beginning of the plain file, where the rest of it comes from)."""
    window.refill(0)
    head = window.buffer[: window.end].data
    if form == "snoop":
        link_type = snoop_link_type(struct.unpack_from(">I", head, 12)[0])
        begin = struct.pack("<IHHiIII", _MICROSECONDS, 2, 4, 0, 0, 0, link_type)
        return begin, TranslatedSource(window, SNOOP_HEADER_BYTES, snoop_layout())
    if form == "pcap" and len(head) >= HEADER_BYTES:
        variant = read_variant(head)
        if not variant.is_usual:
            magic = _MICROSECONDS if variant.fraction_ns > 1 else _NANOSECONDS
            begin = struct.pack("<IHHiIII", magic, 2, 4, 0, 0, variant.snap_length, variant.link_type)
            return begin, TranslatedSource(window, variant.first_record, pcap_layout(variant))
    return bytes(head), window.source
