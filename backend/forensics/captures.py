"""What the analysis receives of one capture: its vantage points and the tables that the decoder wrote."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backend.forensics.dumps import AddressName
from backend.forensics.messages import HeldMessages, Messages, MessageTable
from backend.forensics.round_trips import ROUND_TRIP_SCHEMA
from backend.forensics.signals import SIGNAL_DTYPE
from backend.forensics.tunnels import Tunnel

PRINTED_BY: Final = "Stallscope, from what tcpdump or tshark printed"
"""The writing program (pcapng, shb_userappl) of a capture that was rebuilt from a printed text."""
PRINTED: Final = "printed"
"""Format of such a capture: what a text can't show (payload, checksums, often the TTL) is not known, never absent."""


@dataclass(frozen=True)
class CredentialSigns:
    """What of a capture carries keys and tokens in clear text, or may do so."""

    connections: NDArray[np.uint32] = field(default_factory=lambda: np.zeros(0, np.uint32))
    """Rows of the connection table, ascending."""
    loose_frames: int = 0
    """Frames of no connection that hold, or may hold, some."""

    def __bool__(self) -> bool:
        return bool(len(self.connections) or self.loose_frames)


@dataclass(frozen=True)
class RecordedTimes:
    """What the time stamps of a capture are like, in the order of its file."""

    untimed: int = 0
    """Packets whose time stamp is before 1970 or beyond 2116; they have the time of the packet before."""
    first_untimed: int = 0
    """Frame of the first of them."""
    steps: int = 0
    """Times that the clock was set: back by more than a second, or ahead by more than a year."""
    first_step: int = 0
    """Frame after the first of them; durations that include a step were not measured."""
    last_step: int = 0
    largest_step_ns: int = 0
    """Negative where the clock was set back."""
    even_gap_ns: int | None = None
    """The one gap between all packets, where it is the same everywhere: no clock measures that."""
    backwards: int = 0
    """Handshake packets earlier than the one before, where most of them are: the packets or their times are in
    reverse order."""

    @property
    def measured(self) -> bool:
        """Whether a clock made them."""
        return self.even_gap_ns is None and not self.untimed and not self.backwards


@dataclass(frozen=True)
class VantagePoint:
    """Where packets were seen."""

    index: int
    """Number inside the capture; the `vantage` column of its tables."""
    name: str
    """Interface name where the file states it, ``interface 3`` for a bare index, else the file's name."""
    link_type: str
    interface_index: int | None
    """Kernel interface index (Linux cooked v2), or None."""
    packets: int
    first_ns: int
    last_ns: int
    time_resolution_ns: int
    dropped_by_capture: int | None
    """Packets that the kernel dropped before they were written (pcapng interface statistics), None when
    unknown."""
    snap_length: int = 0
    """Bytes that were kept of each packet at most, as the file says; 0 where it does not say."""
    capture_filter: str = ""
    """What alone was recorded here (pcapng shows libpcap's filter text), "" where the file does not say."""
    stated_name: str = ""
    """The interface's name or description as the file shows it, "" where it shows none."""
    parts: tuple[str, ...] = ()
    """Of a capture joined from rotated parts: ids of this vantage point in the files after the first."""
    unrecorded_ns: tuple[tuple[int, int], ...] = ()
    """(begin, end) of gaps between such parts that are longer than any silence inside them."""
    machine: int = 0
    """Equal for those of this capture that one machine recorded. A merged file holds several machines' captures."""


@dataclass(frozen=True)
class Capture:
    """One decoded capture. `handshakes` are its SYN, SYN-ACK, RST and ICMP error packets, and each first
    answer to a SYN, in file order: all that is needed to judge how connections opened without a scan of the
    packet table."""

    name: str
    sha256: str
    format: str
    bytes: int
    packets: int
    first_ns: int
    last_ns: int
    vantage_points: tuple[VantagePoint, ...]
    connections: NDArray[np.void]
    handshakes: NDArray[np.void]
    buckets: NDArray[np.void]
    messages: Messages = field(default_factory=Messages)
    """Application messages and ICMP errors."""
    round_trips: MessageTable = field(default_factory=lambda: HeldMessages(ROUND_TRIP_SCHEMA.empty_table()))
    """Samples, ROUND_TRIP_SCHEMA, by the time of their answers."""
    signals: NDArray[np.void] = field(default_factory=lambda: np.zeros(0, SIGNAL_DTYPE))
    """SIGNAL_DTYPE, in file order: where TCP connections had a TCP anomaly or woke up."""
    undecoded: dict[str, int] = field(default_factory=dict)
    """Frames not decoded to a transport header, by the reason in words."""
    tunnels: tuple[Tunnel, ...] = ()
    """By the number in the `tunnel` columns; empty in a capture without tunnels."""
    times: RecordedTimes = RecordedTimes()
    credentials: CredentialSigns = field(default_factory=CredentialSigns)
    address_names: tuple[AddressName, ...] = ()
    """Of pcapng name resolution blocks; without lines."""
    warnings: tuple[str, ...] = ()
    error: str | None = None
    host: str | None = None

    @property
    def is_printed(self) -> bool:
        """Whether it was rebuilt from a printed text: a vantage point of low fidelity."""
        return self.format == PRINTED
