"""What Wireshark reports of packets, and which of its TCP analysis flags corresponds to which of our marks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from backend.forensics import packets as p

Severity = Literal["comment", "chat", "note", "warning", "error"]


@dataclass(frozen=True)
class ExpertNote:
    """An entry of Wireshark's expert information."""

    severity: Severity
    group: str
    """``Sequence``, ``Malformed``, ``Checksum`` …, in Wireshark's words."""
    text: str


@dataclass(frozen=True)
class MessageField:
    """A field of an application message: Wireshark's label and value."""

    label: str
    value: str


@dataclass(frozen=True)
class DecodedMessage:
    """An application message that Wireshark decodes in a packet; fields are shown for known protocols only."""

    protocol: str
    """Wireshark's name: ``http``, ``dns``, ``tls``."""
    fields: tuple[MessageField, ...]
    decrypted: bool
    """It was read from TLS by a key log."""


@dataclass(frozen=True)
class DissectedPacket:
    """One packet in Wireshark's words."""

    input: str
    frame: int
    protocol: str
    """The column Protocol."""
    info: str
    """The column Info; frame numbers in it are those of the capture."""
    expert: tuple[ExpertNote, ...] = ()
    analysis: tuple[str, ...] = ()
    """``tcp.analysis`` flags of the innermost TCP header, without that prefix."""
    messages: tuple[DecodedMessage, ...] = ()
    detailed: bool = True
    """False: only the columns were read before a limit ended the program."""


@dataclass(frozen=True)
class WiresharkAnswer:
    """What tshark printed for the packets that were selected."""

    program: str
    """Name and version."""
    packets: tuple[DissectedPacket, ...]
    tls_secrets: int
    """Lines of TLS key logs that were given to it."""
    problem: str = ""
    """Why details of some packets are missing."""


FLAGS: Final[Mapping[str, tuple[int, tuple[str, ...]]]] = {
    "retransmission": (
        p.MARK_RETRANSMISSION,
        ("retransmission", "fast_retransmission", "spurious_retransmission"),
    ),
    "fast retransmission": (p.MARK_FAST_RETRANSMISSION, ("fast_retransmission",)),
    "spurious retransmission": (p.MARK_SPURIOUS_RETRANSMISSION, ("spurious_retransmission",)),
    "out of order": (p.MARK_OUT_OF_ORDER, ("out_of_order",)),
    "duplicate ACK": (p.MARK_DUPLICATE_ACK, ("duplicate_ack",)),
    "zero window": (p.MARK_ZERO_WINDOW, ("zero_window",)),
    "window full": (p.MARK_WINDOW_FULL, ("window_full",)),
    "window update": (p.MARK_WINDOW_UPDATE, ("window_update",)),
    "zero window probe": (p.MARK_ZERO_WINDOW_PROBE, ("zero_window_probe",)),
    "keep-alive": (p.MARK_KEEP_ALIVE, ("keep_alive",)),
    "answer to keep-alive or probe": (p.MARK_KEEP_ALIVE_ACK, ("keep_alive_ack", "zero_window_probe_ack")),
    "ACK of unseen data": (p.MARK_LOST_SEGMENT, ("ack_lost_segment",)),
    "previous segment not captured": (p.MARK_PREVIOUS_MISSING, ("lost_segment",)),
    "port reuse": (p.MARK_PORT_REUSE, ("reused_ports",)),
}
"""Our mark and their fields, by the flag's name."""

ANALYSIS_FIELDS: Final = tuple(sorted({name for _, names in FLAGS.values() for name in names}))
"""All ``tcp.analysis`` flags that are compared, without that prefix."""
_OF_OTHER_CONNECTIONS: Final = frozenset({"port reuse"})
"""tshark sees it by an earlier connection, which is not among the packets it is given."""


@dataclass(frozen=True)
class Difference:
    """A TCP analysis flag that only one of the two reports for a packet."""

    flag: str
    reported_by: Literal["wireshark", "stallscope"]


def differences(marks: int, analysis: tuple[str, ...]) -> tuple[Difference, ...]:
    """Flags that only one side has: `marks` of the packet table, `analysis` as in `DissectedPacket`."""
    theirs = frozenset(analysis)
    found = []
    for flag, (mark, names) in FLAGS.items():
        ours = bool(marks & mark)
        if flag not in _OF_OTHER_CONNECTIONS and ours == theirs.isdisjoint(names):
            found.append(Difference(flag, "stallscope" if ours else "wireshark"))
    return tuple(found)
