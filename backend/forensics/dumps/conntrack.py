"""Connection-tracking entries as a table: a node at its limit lists a million of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backend.forensics.addresses import address_halves, address_text
from backend.forensics.dumps.table import RecordTable

NOT_SHOWN: Final = -1
"""A number that the line does not hold."""

STATES: Final = (
    "", "NONE", "SYN_SENT", "SYN_RECV", "ESTABLISHED", "FIN_WAIT", "CLOSE_WAIT", "LAST_ACK", "TIME_WAIT", "CLOSE",
    "SYN_SENT2", "LISTEN", "SYNACK", "CLOSED", "COOKIE_WAIT", "COOKIE_ECHOED", "SHUTDOWN_SENT", "SHUTDOWN_RECD",
    "SHUTDOWN_ACK_SENT", "HEARTBEAT_SENT", "HEARTBEAT_ACKED", "REQUEST", "RESPOND", "PARTOPEN", "OPEN",
    "CLOSEREQ", "CLOSING", "TIMEWAIT", "IGNORE", "INVALID", "RETRANS", "UNACK", "SYN_SENT_RECV", "OTHER",
)  # fmt: skip
"""States of TCP, SCTP and DCCP (nf_conntrack_proto_*.c); `state` is an index into this. ``""`` for protocols
without one, ``OTHER`` for a name that is not among them."""

FLAGS: Final = (
    "ASSURED", "UNREPLIED", "SEEN_REPLY", "OFFLOAD", "HW_OFFLOAD", "USERSPACE", "DYING", "FIXED_TIMEOUT", "EXPECTED",
    "CONFIRMED", "SRC_NAT", "DST_NAT", "OTHER",
)  # fmt: skip
"""What stands in brackets or behind ``-u``; `flags` has bit 1 << index."""

EVENTS: Final = ("", "NEW", "UPDATE", "DESTROY")
"""`event` is an index into this; ``""`` in a listing."""

ASSURED: Final = 1 << FLAGS.index("ASSURED")
UNREPLIED: Final = 1 << FLAGS.index("UNREPLIED")
EVENT_NEW: Final = EVENTS.index("NEW")
EVENT_DESTROY: Final = EVENTS.index("DESTROY")

PROTOCOL_NUMBERS: Final = {
    "icmp": 1, "igmp": 2, "tcp": 6, "udp": 17, "dccp": 33, "gre": 47, "esp": 50, "ah": 51, "icmpv6": 58, "sctp": 132,
    "udplite": 136,
}  # fmt: skip
"""As conntrack prints them; others are ``unknown`` followed by their number."""

UNKNOWN_PROTOCOL: Final = 255

CONNTRACK_DTYPE: Final = np.dtype(
    [
        ("line", "<u4"),  # 1-based, in the whole text
        ("protocol", "u1"),  # IP protocol number
        ("ip_version", "u1"),  # 4 or 6
        ("state", "u1"),  # index into STATES
        ("event", "u1"),  # index into EVENTS
        ("flags", "<u2"),  # bits of FLAGS
        ("zone", "<u2"),  # 0 is the default zone, and when not shown
        ("timeout_s", "<i4"),  # NOT_SHOWN for DESTROY, permanent and offloaded entries
        ("delta_time_s", "<i4"),  # age, NOT_SHOWN without nf_conntrack_timestamp
        ("mark", "<i8"),  # NOT_SHOWN when absent
        ("id", "<i8"),  # of the entry (`-o id`), NOT_SHOWN when absent
        ("time_ns", "<i8"),  # of the event (`-o timestamp`), UTC; NOT_SHOWN without
        # Addresses as in the packet table: two halves, IPv4 v4-mapped. Ports are 0 for protocols without.
        ("original_source_high", "<u8"),
        ("original_source_low", "<u8"),
        ("original_destination_high", "<u8"),
        ("original_destination_low", "<u8"),
        ("reply_source_high", "<u8"),
        ("reply_source_low", "<u8"),
        ("reply_destination_high", "<u8"),
        ("reply_destination_low", "<u8"),
        ("original_source_port", "<u2"),
        ("original_destination_port", "<u2"),
        ("reply_source_port", "<u2"),
        ("reply_destination_port", "<u2"),
        ("icmp_id", "<u2"),  # of the original direction; 0 for other protocols
        ("icmp_type", "u1"),
        ("icmp_code", "u1"),
        ("original_packets", "<i8"),  # NOT_SHOWN without nf_conntrack_acct
        ("original_bytes", "<i8"),
        ("reply_packets", "<i8"),
        ("reply_bytes", "<i8"),
    ]
)
"""One line of ``conntrack -L``, ``-E`` or ``/proc/net/nf_conntrack``. What the line does not hold is NOT_SHOWN."""


@dataclass(frozen=True)
class ConntrackTuple:
    """One direction of a conntrack entry; ICMP has no ports (0)."""

    source: str
    destination: str
    source_port: int
    destination_port: int


@dataclass(frozen=True)
class ConntrackEntry:
    """A row of the table in words, for a few of them; for many use the columns."""

    line: int
    protocol: str
    state: str
    """TCP state, or "" for protocols without one."""
    timeout_s: int | None
    original: ConntrackTuple
    reply: ConntrackTuple
    flags: tuple[str, ...]
    """``ASSURED``, ``UNREPLIED``, …"""
    event: str = ""
    """``NEW``, ``UPDATE`` or ``DESTROY`` in an event listing, else ""."""
    time_ns: int | None = None
    """When the event happened (``-o timestamp``), UTC."""


class ConntrackTable(RecordTable[ConntrackEntry]):
    """Entries of one dump: `rows` is an array of CONNTRACK_DTYPE, iterating gives ConntrackEntry."""

    dtype = CONNTRACK_DTYPE

    @classmethod
    def of(cls, entries: Iterable[ConntrackEntry]) -> ConntrackTable:
        """A table made of entries in words; raises ValueError when an address is none."""
        given = list(entries)
        rows = empty_entries(len(given))
        for row, entry in zip(rows, given, strict=True):
            _fill(row, entry)
        return cls(rows)

    def events(self, event: int) -> ConntrackTable:
        """The entries with this code of `EVENTS` and a time."""
        return ConntrackTable(self.rows[(self.rows["event"] == event) & (self.rows["time_ns"] != NOT_SHOWN)])

    def _record(self, row: np.void) -> ConntrackEntry:
        return ConntrackEntry(
            line=int(row["line"]),
            protocol=protocol_name(int(row["protocol"])),
            state=STATES[row["state"]],
            timeout_s=_shown(row["timeout_s"]),
            original=_tuple_of(row, "original"),
            reply=_tuple_of(row, "reply"),
            flags=tuple(name for bit, name in enumerate(FLAGS) if int(row["flags"]) >> bit & 1),
            event=EVENTS[row["event"]],
            time_ns=_shown(row["time_ns"]),
        )


def protocol_name(number: int) -> str:
    """``tcp`` for 6; the number in digits where conntrack has no name for it."""
    return next((name for name, known in PROTOCOL_NUMBERS.items() if known == number), str(number))


def empty_entries(count: int) -> NDArray[np.void]:
    """`count` rows in which nothing is shown."""
    rows = np.zeros(count, CONNTRACK_DTYPE)
    for name in ("timeout_s", "delta_time_s", "mark", "id", "time_ns"):
        rows[name] = NOT_SHOWN
    for name in ("original_packets", "original_bytes", "reply_packets", "reply_bytes"):
        rows[name] = NOT_SHOWN
    return rows


def _fill(row: np.void, entry: ConntrackEntry) -> None:
    row["line"] = entry.line
    number = PROTOCOL_NUMBERS.get(entry.protocol)
    row["protocol"] = UNKNOWN_PROTOCOL if number is None else number
    row["state"] = STATES.index(entry.state if entry.state in STATES else "OTHER")
    row["event"] = EVENTS.index(entry.event)
    row["timeout_s"] = NOT_SHOWN if entry.timeout_s is None else entry.timeout_s
    row["time_ns"] = NOT_SHOWN if entry.time_ns is None else entry.time_ns
    row["flags"] = sum({1 << FLAGS.index(name if name in FLAGS else "OTHER") for name in entry.flags})
    row["ip_version"] = 6 if ":" in entry.original.source else 4
    for side, of in (("original", entry.original), ("reply", entry.reply)):
        for end, address in (("source", of.source), ("destination", of.destination)):
            row[f"{side}_{end}_high"], row[f"{side}_{end}_low"] = address_halves(address)
        row[f"{side}_source_port"], row[f"{side}_destination_port"] = of.source_port, of.destination_port


def _tuple_of(row: np.void, side: str) -> ConntrackTuple:
    return ConntrackTuple(
        address_text(int(row[f"{side}_source_high"]), int(row[f"{side}_source_low"])),
        address_text(int(row[f"{side}_destination_high"]), int(row[f"{side}_destination_low"])),
        int(row[f"{side}_source_port"]),
        int(row[f"{side}_destination_port"]),
    )


def _shown(value: np.int64) -> int | None:
    return None if value == NOT_SHOWN else int(value)
