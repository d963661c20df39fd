"""A capture as one that can be given away: pcapng with the same packets at the same times and lengths.

Headers keep what they say but for addresses, payload becomes zeros but for the messages that diagnoses rest on.
Comments, names, secrets, and what machine and program captured are left out."""

from __future__ import annotations

import mmap
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np
from numpy.typing import NDArray

from workers.decode.anonymise.interface_blocks import interface_block, section_block, shown_statistics
from workers.decode.anonymise.loop.records import (
    ANONYMISER_DTYPE,
    INTERFACES,
    NOTE_DTYPE,
    NOTES_FULL,
    OTHER_BLOCK,
    SLOTS,
    TARGET_FULL,
    WANTS_ADDRESSES,
)
from workers.decode.anonymise.loop.walk import anonymise_pcap, anonymise_pcapng, learn_addresses
from workers.decode.anonymise.messages import Messages
from workers.decode.anonymise.pseudonyms import Pseudonyms
from workers.decode.anonymise.warm import ensure_anonymiser_compiled
from workers.decode.frame_places import NotWalkable
from workers.decode.interfaces import LARGEST_PACKET, Interface, snap_limit
from workers.decode.pcap_variants import HEADER_BYTES, PCAP_MAGICS, read_variant
from workers.decode.pcapng_blocks import (
    INTERFACE,
    SECTION_HEADER,
    STATISTICS,
    TAKES_A_FRAME_NUMBER,
    is_merged,
    read_interface,
)

TARGET_BYTES: Final = 2 * LARGEST_PACKET
_HEAD_BYTES: Final = 1 << 20
_SECTION: Final = b"\x0a\x0d\x0d\x0a"
_IPV4, _IPV6 = 1, 2

Heard = Callable[[int], None]


@dataclass
class _Rewriting:
    """One capture on its way."""

    source: mmap.mmap
    file: BinaryIO
    pseudonyms: Pseudonyms
    chosen: NDArray[np.int64]
    heard: Heard
    notes: list[NDArray[np.void]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.memory: NDArray[np.void] = np.zeros(1, ANONYMISER_DTYPE)
        self.work: np.void = self.memory["work"][0, 0]
        self.target = np.zeros(TARGET_BYTES, np.uint8)
        self.buffer = np.frombuffer(self.source, np.uint8)
        self.big = False

    def run(self) -> int:
        """Writes everything up to the end or to damage; how many packets."""
        if self.source[:4] in PCAP_MAGICS:
            self._pcap()
        elif self.source[:4] == _SECTION:
            self._pcapng()
        else:
            raise NotWalkable("it is of a rare format")
        self._flush()
        return int(self.work["frame"])

    def _pcap(self) -> None:
        variant = read_variant(memoryview(self.source[:_HEAD_BYTES]))
        nano = variant.fraction_ns == 1
        interface = Interface(
            0, 0, variant.link_type, snap_limit(variant.snap_length), resolution=9 if nano else 6
        )
        interface.stated_snap_length = variant.snap_length
        self._put(section_block())
        self._put(interface_block(interface, self.pseudonyms))
        self._add(interface)
        self.work["position"] = HEADER_BYTES
        while True:
            anonymise_pcap(self.buffer, variant.big, nano, self.memory, self.chosen, self.target)
            if not self._go_on():
                return

    def _pcapng(self) -> None:
        while True:
            anonymise_pcapng(self.buffer, self.big, LARGEST_PACKET, self.memory, self.chosen, self.target)
            if self.work["reason"] == OTHER_BLOCK:
                if not self._other_block():
                    return
            elif not self._go_on():
                return

    def _go_on(self) -> bool:
        """Does what the loop stopped for; False at the end of the capture."""
        reason = int(self.work["reason"])
        if reason == WANTS_ADDRESSES:
            self._write_names()
        elif reason in (TARGET_FULL, NOTES_FULL):
            self._flush()
        else:
            return False
        return True

    def _write_names(self) -> None:
        if 2 * int(self.work["slots"]) > SLOTS:  # it only saves asking again
            self.memory["slots"][0]["kind"] = 0
            self.work["slots"] = 0
        addresses = self.pseudonyms.addresses
        for wanted in self.memory["wanted"][0][: int(self.work["wanted"])]:
            address = int(wanted["high"]) << 64 | int(wanted["low"])
            kind = int(wanted["kind"])
            ask = addresses.ipv4 if kind == _IPV4 else addresses.ipv6 if kind == _IPV6 else addresses.mac
            new = ask(address)
            wanted["new_high"], wanted["new_low"] = new >> 64, new & 0xFFFFFFFFFFFFFFFF
        learn_addresses(self.memory)

    def _flush(self) -> None:
        base = self.file.tell()
        self.file.write(self.target[: int(self.work["written"])].data)
        found = self.memory["notes"][0][: int(self.work["notes"])].copy()
        found["place"] += base
        found["field"][found["field"] >= 0] += base
        self.notes.append(found)
        self.work["written"] = self.work["notes"] = 0
        self.heard(int(self.work["frame"]))

    def _put(self, block: bytes) -> None:
        self._flush()
        self.file.write(block)

    def _add(self, interface: Interface) -> None:
        number = int(self.work["interfaces"])
        if number == INTERFACES:
            raise NotWalkable(f"it describes more than {INTERFACES:,} interfaces")
        interface.fill(self.memory["interfaces"][0, number])
        self.work["interfaces"] = number + 1

    def _other_block(self) -> bool:
        """Section, interface, statistics; False where the file ends or is damaged."""
        at = int(self.work["position"])
        if self.source[at : at + 4] == _SECTION:
            self.big = self.source[at + 8 : at + 12] == b"\x1a\x2b\x3c\x4d"
        order = ">" if self.big else "<"
        kind, length = struct.unpack_from(order + "II", self.source, at)
        if length < 12 or length & 3 or at + length > len(self.source):
            return False
        body = self.source[at + 8 : at + length - 4] if length <= LARGEST_PACKET else b""
        if kind == SECTION_HEADER:
            self.work["interfaces"] = 0
            self._put(section_block(merged=is_merged(body[16:], order)))
        elif kind == INTERFACE and len(body) >= 8:
            interface = read_interface(body, order, 0, 0)
            self._put(interface_block(interface, self.pseudonyms, body, order))
            self._add(interface)
        elif kind == STATISTICS and len(body) >= 12:
            self._put(shown_statistics(body, order))
        elif kind in TAKES_A_FRAME_NUMBER:
            self.work["frame"] += 1
        self.work["position"] = at + length
        return True


def anonymise_capture(plain: Path, tables: Path, target: Path, pseudonyms: Pseudonyms, heard: Heard) -> int:
    """Writes the anonymised capture; how many frames. `plain`: as `frames.plain` makes it; `tables`: what decoding it
    left; `heard` gets counts of frames now and then. Raises NotWalkable for a format whose frames have no place."""
    ensure_anonymiser_compiled()
    messages = Messages(tables)
    with _mapped(plain) as source:
        with target.open("wb") as file:
            rewriting = _Rewriting(source, file, pseudonyms, messages.frames, heard)
            try:
                frames = rewriting.run()
            finally:
                rewriting.buffer = np.zeros(0, np.uint8)  # or the mapping could not be closed
        notes = np.concatenate(rewriting.notes) if rewriting.notes else np.zeros(0, NOTE_DTYPE)
        with target.open("r+b") as done, mmap.mmap(done.fileno(), 0) as written:
            messages.write(notes, source, written, pseudonyms)
    return frames


@contextmanager
def _mapped(path: Path) -> Iterator[mmap.mmap]:
    if path.stat().st_size < HEADER_BYTES:
        raise NotWalkable("it is cut short in its header")
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        yield data
