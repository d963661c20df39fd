"""The state of decoding one capture: where it is, its tables, and what went wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from backend.forensics.dumps import AddressName
from backend.forensics.messages import Messages, MessageTable
from workers.decode.digest import RunningDigest
from workers.decode.interfaces import MAX_INTERFACES, Interface
from workers.decode.loop.records import (
    BATCH_ROWS,
    BUCKETS_FULL,
    CONNECTIONS_FULL,
    INTERFACE_DTYPE,
    RESIDENT_ROWS,
    TRACKS_FULL,
)
from workers.decode.messages.reader import MessageReader
from workers.decode.packet_writer import PacketWriter
from workers.decode.round_trips.reader import RoundTripReader
from workers.decode.signals.reader import SignalReader
from workers.decode.sources import ByteSource, Window
from workers.decode.tables import Tables

_REPORT_BYTES: Final = 16 << 20
"""Bytes of the stored file between two reports of progress."""


class DecodeCancelled(Exception):  # noqa: N818 - no error
    """Decoding was stopped from outside; no packet table was left."""


@dataclass(frozen=True)
class DecodeProgress:
    """How far decoding is. Bytes are those of the stored file."""

    packets: int
    bytes_done: int
    bytes_total: int


@dataclass(frozen=True)
class Watcher:
    """Who receives progress, and who may cancel."""

    bytes_total: int
    progress: Callable[[DecodeProgress], None] | None
    cancelled: Callable[[], bool] | None

    def report(self, packets: int, bytes_done: int) -> None:
        """Reports the progress; raises DecodeCancelled."""
        if self.cancelled is not None and self.cancelled():
            raise DecodeCancelled
        if self.progress is not None:
            self.progress(DecodeProgress(packets, min(bytes_done, self.bytes_total), self.bytes_total))


class Reading:
    """One capture being decoded."""

    def __init__(
        self,
        source: ByteSource,
        watcher: Watcher,
        packets_path: Path | None,
        messages_folder: Path | None,
        digest: RunningDigest | None = None,
    ) -> None:
        self.window = Window(source, digest=digest)
        self.tables = Tables(RESIDENT_ROWS if packets_path is None else BATCH_ROWS)
        self._messages = MessageReader(self.tables, messages_folder)
        self._round_trips = RoundTripReader(self.tables, messages_folder)
        self.signals = SignalReader(self.tables)
        self.interfaces: list[Interface] = []
        self.warnings: list[str] = []
        self.notes: list[str] = []
        """What was left out on purpose: no damage."""
        self.format_variant = ""
        self.address_names: list[AddressName] = []
        """A closer name of the file's format, where there is one."""
        self.undecoded_links: dict[int, int] = {}
        """Packets of link types that are not read."""
        self.packet_comments = 0
        """Comments on single packets, in the sections that are complete."""
        self._frames_passed = 0
        self._section_start = 0
        self._watcher = watcher
        self._reported = 0
        self._writer: PacketWriter | None = None
        if packets_path is not None:
            self._writer = PacketWriter(packets_path, np.zeros_like(self.tables.rows))

    @property
    def state(self) -> np.void:
        """The loop's state record."""
        return self.tables.state

    @property
    def packets(self) -> int:
        """Packets read so far."""
        return int(self.state["frame"]) - self._frames_passed

    def pass_frame(self) -> None:
        """Something that is no packet takes the next frame number."""
        self.state["frame"] += 1
        self._frames_passed += 1

    def start(self) -> None:
        """Reports that reading begins; raises DecodeCancelled."""
        self._watcher.report(0, 0)

    def read_on(self) -> bool:
        """Drops what is read and gets more bytes; False at the end of the file."""
        if self.window.ended:
            return False
        self.window.refill(int(self.state["position"]))
        self.state["position"] = 0
        self._report()
        return True

    def _report(self) -> None:
        """Reports the progress, not more often than each 16 MiB."""
        done = self.window.source.bytes_done
        if done - self._reported >= _REPORT_BYTES:
            self._reported = done
            self._watcher.report(self.packets, done)

    def translate(self, source: ByteSource) -> None:
        """Reads on from `source`, which takes over the window so far."""
        self.window = Window(source)
        self.state["position"] = 0

    def skip(self, count: int) -> bool:
        """Steps over a block; False and a warning when the file ends inside it."""
        position = int(self.state["position"])
        if position + count <= self.window.end:
            self.state["position"] = position + count
            return True
        whole = self.window.skip(position + count)
        self.state["position"] = 0
        if not whole:
            self.cut_short()
        return whole

    def make_room(self) -> None:
        """Does what the loop stopped for: a full table."""
        reason = self.state["reason"]
        if reason == CONNECTIONS_FULL:
            self.tables.grow_connections()
        elif reason == BUCKETS_FULL:
            self.tables.make_room_for_buckets()
        elif reason == TRACKS_FULL:
            self.tables.make_room_for_tracks()
        else:
            self.flush()

    def flush(self) -> None:
        """Hands the filled rows to the writer."""
        batch = self.tables.take_batch()
        self._round_trips.take()
        self.signals.take()
        if self._writer is not None:
            self.tables.rows = self._writer.swap(self.tables.rows, len(batch))
        else:
            batch.view(np.uint8).fill(0)

    def read_messages(self) -> None:
        """Reads the messages in what the loop has just walked over."""
        self._messages.read(self.window.buffer)

    def finish(self) -> tuple[Messages, MessageTable]:
        """Writes the last rows and completes the packet table; returns the message tables and the round trips."""
        self._count_undecoded_links()
        messages = self._messages.finish()
        self.warnings += self._messages.warnings()
        self.flush()
        if self._writer is not None:
            self._writer.finish()
        return messages, self._round_trips.finish()

    def abandon(self) -> None:
        """Leaves no packet table, no messages and no round trips."""
        self._messages.abandon()
        self._round_trips.abandon()
        if self._writer is not None:
            self._writer.abandon()

    def set_interfaces(self, interfaces: list[Interface]) -> None:
        """For a file whose interfaces are known at once."""
        for interface in interfaces:
            self.add_interface(interface)

    def begin_section(self) -> None:
        """A pcapng section numbers its interfaces from 0 again."""
        self._count_undecoded_links()
        self.take_packet_options()
        self._section_start = len(self.interfaces)
        self.state["interfaces"] = 0

    def add_interface(self, interface: Interface) -> None:
        """Makes an interface known to the loop."""
        self.interfaces.append(interface)
        used = int(self.state["interfaces"])
        if used == len(self.tables.interfaces):
            grown = np.zeros(2 * used, INTERFACE_DTYPE)
            grown[:used] = self.tables.interfaces
            self.tables.interfaces = grown
        interface.fill(self.tables.interfaces[used])
        self.state["interfaces"] = used + 1

    def _count_undecoded_links(self) -> None:
        for record in self.tables.interfaces[: int(self.state["interfaces"])]:
            count = int(record["undecoded"])
            if count:
                link_type = self.interfaces[int(record["number"])].link_type
                self.undecoded_links[link_type] = self.undecoded_links.get(link_type, 0) + count
                record["undecoded"] = 0

    def take_packet_options(self) -> None:
        """What the loop summed up of the options of packets. Statistics blocks, where there are any, count
        more than the drops noted with the packets."""
        for record in self.tables.interfaces[: int(self.state["interfaces"])]:
            self.packet_comments += int(record["comments"])
            if record["dropped"] and self.interfaces[int(record["number"])].dropped is None:
                self.interfaces[int(record["number"])].dropped = int(record["dropped"])
            record["comments"] = record["dropped"] = 0

    def warn(self, sentence: str) -> None:
        """Adds a sentence for the user."""
        self.warnings.append(sentence)

    @property
    def _counted_in(self) -> str:
        return self.window.source.counted_in

    def _before(self) -> str:
        return "Everything before it was analysed." if self.packets else "No packet comes before it."

    def damaged(self, what: str) -> None:
        """The record at the current position cannot be read, so nothing after it can be found."""
        byte = self.window.offset + int(self.state["position"])
        self.warn(
            f"Packet {int(self.state['frame']) + 1:,} {what} at byte {byte:,}{self._counted_in}. {self._before()}"
        )

    def too_many_interfaces(self) -> None:
        """The description of the interface at the current position is one too many."""
        byte = self.window.offset + int(self.state["position"])
        self.warn(
            f"The file describes more than {MAX_INTERFACES:,} interfaces, the limit, at byte "
            f"{byte:,}{self._counted_in}. {self._before()}"
        )

    def damaged_length(self) -> None:
        """The record claims a length that no packet has."""
        self.damaged(f"claims {int(self.state['detail']):,} bytes, more than its record can hold,")

    def check_tail(self) -> None:
        """At the end of the file: bytes left over are the beginning of a packet."""
        if int(self.state["position"]) < self.window.end or self.window.source.damage:
            self.cut_short()

    def cut_short(self) -> None:
        """The file ends inside a record."""
        byte = self.window.offset + self.window.end
        why = f" ({self.window.source.damage})" if self.window.source.damage else ""
        place = f"byte {byte:,}{self._counted_in}{why}"
        self.warn(f"Packet {int(self.state['frame']) + 1:,} is cut short at {place}. {self._before()}")
