"""One frame as the decoder understood it, each column with its meaning."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from backend.errors import InvalidRequest, NotFound
from backend.forensics.addresses import address_text
from backend.services.describe_message import describe_message
from backend.services.describe_packet import PROTOCOL_NAMES, flags_of, tunnel_of, what_is
from backend.services.open_tables import NS_PER_S, capture_tables
from backend.services.read_progress import read_file
from backend.services.scope import WHOLE, Scope
from backend.storage.capture_tables import frame_row, tunnel_layers
from backend.storage.message_tables import messages_in_frame
from backend.storage.packet_store import open_packets
from backend.storage.store import Store
from backend.text_classes import (
    FileText,
    FixedText,
    HeaderText,
    IdText,
    PayloadText,
    ProseText,
)

MESSAGES_SHOWN = 20
LAYERS = ("not decoded", "link header", "network header", "transport header")

NUMBERS: tuple[tuple[str, str, str], ...] = (
    ("source_port", "", "port it came from"),
    ("destination_port", "", "port it goes to"),
    ("ip_version", "", "4 or 6"),
    ("ttl", "hops", "time to live left"),
    ("ip_id", "", "identification field of IPv4"),
    ("sequence", "", "TCP sequence number as sent"),
    ("acknowledgement", "", "next byte expected from the other side"),
    ("window", "bytes", "receive window as sent, not scaled"),
    ("payload_bytes", "bytes", "TCP or UDP payload by the IP lengths, true also when the frame is cut"),
    ("timestamp_value", "", "TCP option TSval: the sender's clock"),
    ("timestamp_echo", "", "TCP option TSecr: the last clock heard from the other side"),
    ("mss", "bytes", "largest segment the sender accepts (SYN only)"),
    ("vlan", "", "outermost VLAN id"),
    ("icmp_type", "", "ICMP type"),
    ("icmp_code", "", "ICMP code"),
    ("captured_bytes", "bytes", "bytes of the frame in the file"),
    ("original_bytes", "bytes", "bytes of the frame on the wire"),
)
ABSENT_WHEN_ZERO = {
    "vlan", "mss", "timestamp_value", "timestamp_echo", "icmp_type", "icmp_code", "source_port", "destination_port"
}  # fmt: skip


@dataclass(frozen=True)
class FrameColumn:
    """A value, its unit, and what it means."""

    name: FixedText
    value: HeaderText | int | None
    unit: FixedText = ""
    meaning: ProseText = ""


@dataclass(frozen=True)
class MessageColumn:
    """A message of an application that begins in the frame."""

    value: PayloadText
    name: Literal["message"] = "message"
    unit: FixedText = ""
    meaning: ProseText = "application message that begins here"


@dataclass(frozen=True)
class Frame:
    """One frame of a capture."""

    file: IdText
    input: FileText
    frame: int
    columns: tuple[FrameColumn | MessageColumn, ...]


def show_frame(store: Store, investigation_id: str, file_id: str, number: int, scope: Scope = WHOLE) -> Frame:
    """Frame `number` (1-based, as in Wireshark) of a file, which is given by id or name; raises NotFound."""
    file = read_file(store, investigation_id, file_id)
    scope.check_frame(file.name, number)
    if file.kind != "capture":
        raise InvalidRequest("This file is a text, not a capture; ask for its lines.")
    tables = capture_tables(store, file)
    with open_packets(store.investigation_folder(investigation_id)) as query:
        row = frame_row(query, tables, number)
        if row is None:
            raise NotFound(f"{file.name} has no frame {number}.")
        tunnel = tunnel_of(tunnel_layers(query, tables, row.get("tunnel", 0)))
        messages = messages_in_frame(query, tables, number, MESSAGES_SHOWN)
    said = [MessageColumn(describe_message(kind, message, number)) for kind, message in messages]
    return Frame(file.id, file.name, number, (*_columns(row, file.name, tunnel), *said))


def _columns(row: dict[str, Any], input_name: str, tunnel: str) -> list[FrameColumn]:
    shown = [
        FrameColumn(
            "time", _rfc3339(row["time_ns"]), "UTC", "when the capture point saw it, by its own clock"
        ),
        FrameColumn("vantage", f"{input_name}#{row['vantage']}", "", "capture point"),
        FrameColumn("what", what_is(row), "", "its part in the connection"),
        FrameColumn("layers", LAYERS[row["layers"]], "", "how far the frame was understood"),
        FrameColumn(
            "protocol", PROTOCOL_NAMES.get(row["protocol"], str(row["protocol"])), "", "carried by IP"
        ),
    ]
    if row["ip_version"]:
        shown.append(
            FrameColumn("source", address_text(row["source_high"], row["source_low"]), "", "sent by")
        )
        target = address_text(row["destination_high"], row["destination_low"])
        shown.append(FrameColumn("destination", target, "", "sent to"))
    if tunnel:
        shown.append(FrameColumn("tunnel", tunnel, "", "what the packet was wrapped in, from the outside in"))
    if flags_of(row):
        shown.append(FrameColumn("tcp_flags", flags_of(row), "", "TCP flags"))
    for name, unit, meaning in NUMBERS:
        if row[name] or name not in ABSENT_WHEN_ZERO:
            shown.append(FrameColumn(name, row[name], unit, meaning))
    return shown


def _rfc3339(time_ns: int) -> str:
    whole, fraction = divmod(time_ns, NS_PER_S)
    return f"{datetime.fromtimestamp(whole, UTC):%Y-%m-%dT%H:%M:%S}.{fraction:09d}Z"
