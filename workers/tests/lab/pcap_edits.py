"""What people do to captures before they give them: cut, rotate, shorten, filter. All of it on classic pcap files."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

FILE_HEADER_BYTES = 24
RECORD = struct.Struct("<IIII")
"""Seconds, microseconds, captured length, length on the wire (little-endian, as written here)."""
MICROSECONDS = 1_000_000


class Record(NamedTuple):
    """One packet of a file."""

    time_us: int
    data: bytes
    wire_bytes: int


def records(path: Path) -> Iterator[Record]:
    """Every packet of a file."""
    data = path.read_bytes()
    at = FILE_HEADER_BYTES
    while at + RECORD.size <= len(data):
        seconds, micro, kept, wire = RECORD.unpack_from(data, at)
        at += RECORD.size
        yield Record(seconds * MICROSECONDS + micro, data[at : at + kept], wire)
        at += kept


def rewrite(path: Path, change: Callable[[Record], Record | None], to: Path | None = None) -> int:
    """Write each packet as `change` returns it, without those for which it returns None; how many were written."""
    kept = [new for each in records(path) if (new := change(each)) is not None]
    header = path.read_bytes()[:FILE_HEADER_BYTES]
    body = b"".join(
        RECORD.pack(*divmod(each.time_us, MICROSECONDS), len(each.data), each.wire_bytes) + each.data
        for each in kept
    )
    (to or path).write_bytes(header + body)
    return len(kept)


def only_between(path: Path, first_s: float, last_s: float) -> None:
    """Keep what was captured from `first_s` to `last_s` after the file's first packet."""
    start = next(records(path)).time_us
    low, high = start + first_s * MICROSECONDS, start + last_s * MICROSECONDS
    rewrite(path, lambda each: each if low <= each.time_us <= high else None)


def shorten(path: Path, snap_bytes: int) -> None:
    """As `tcpdump -s` would have captured."""
    rewrite(path, lambda each: each._replace(data=each.data[:snap_bytes]))


def shift(path: Path, by_ms: float) -> None:
    """As a host whose clock is ahead by so much would have stamped the packets."""
    rewrite(path, lambda each: each._replace(time_us=each.time_us + int(by_ms * 1000)))


def only_from(path: Path, address: str) -> None:
    """One direction alone: IPv4 packets whose source is that address, of a capture on an Ethernet interface."""
    source = bytes(map(int, address.split(".")))
    rewrite(path, lambda each: each if each.data[26:30] == source else None)


def rotate(path: Path, parts: int) -> list[Path]:
    """As `tcpdump -C` writes: several files of equal counts in place of one."""
    total = sum(1 for _ in records(path))
    made = []
    for part in range(parts):
        low, high = total * part // parts, total * (part + 1) // parts
        numbers = iter(range(total))
        made.append(path.with_name(f"{path.stem}-{part}.pcap"))
        rewrite(path, lambda each, n=numbers, a=low, b=high: each if a <= next(n) < b else None, made[-1])  # type: ignore[misc]
    path.unlink()
    return made


def tag(path: Path, vlan: int) -> None:
    """As a trunk port shows the packets: with an 802.1Q tag behind the MAC addresses."""
    header = b"\x81\x00" + vlan.to_bytes(2, "big")
    rewrite(
        path,
        lambda each: Record(
            each.time_us, each.data[:12] + header + each.data[12:], each.wire_bytes + len(header)
        ),
    )
