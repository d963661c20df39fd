"""Captures as writers with ring buffers leave them: one recording in several files."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

_PACKET_BLOCKS = (6,)
_STATISTICS = 5


def split_pcapng(source: Path, targets: Sequence[Path], *, left_out: int = 0) -> None:
    """Little-endian pcapng in equal numbers of packets: each part has the section and interfaces, the last the
    statistics. `left_out` packets are lost at the begin of each part but the first."""
    blocks = _blocks(source.read_bytes())
    head = b"".join(block for kind, block in blocks if kind not in (*_PACKET_BLOCKS, _STATISTICS))
    tail = b"".join(block for kind, block in blocks if kind == _STATISTICS)
    packets = [block for kind, block in blocks if kind in _PACKET_BLOCKS]
    for number, (target, part) in enumerate(zip(targets, _shares(packets, len(targets)), strict=True)):
        kept = part[left_out:] if number else part
        target.write_bytes(head + b"".join(kept) + (tail if number == len(targets) - 1 else b""))


def split_pcap(source: Path, targets: Sequence[Path], *, snap_length: int | None = None) -> None:
    """Little-endian classic pcap, the same; the last part's header tells `snap_length` where that is given."""
    data = source.read_bytes()
    head, packets, at = data[:24], [], 24
    while at < len(data):
        size = 16 + struct.unpack_from("<I", data, at + 8)[0]
        packets.append(data[at : at + size])
        at += size
    for number, (target, part) in enumerate(zip(targets, _shares(packets, len(targets)), strict=True)):
        own = head
        if snap_length is not None and number == len(targets) - 1:
            own = head[:16] + struct.pack("<I", snap_length) + head[20:]
        target.write_bytes(own + b"".join(part))


def _blocks(data: bytes) -> list[tuple[int, bytes]]:
    found, at = [], 0
    while at < len(data):
        kind, size = struct.unpack_from("<II", data, at)
        found.append((kind, data[at : at + size]))
        at += size
    return found


def _shares(packets: Sequence[bytes], parts: int) -> list[Sequence[bytes]]:
    total = len(packets)
    return [packets[n * total // parts : (n + 1) * total // parts] for n in range(parts)]
