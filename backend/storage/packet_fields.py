"""The fields that a filter of packets can ask for, by Wireshark's names where Wireshark has one.

Of a packet in a tunnel they are the inner packet's. Ports and sequence numbers of an ICMP error are those of the TCP
packet that it quotes, as in Wireshark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from backend.forensics import packets as p
from backend.storage.capture_tables import CaptureTables
from backend.storage.packet_store import Value

Kind = Literal["number", "flag", "address", "text", "seconds", "presence", "connection", "place", "name"]


@dataclass(frozen=True)
class PacketField:
    """What a packet is asked: the packets that have the field at all, and its values (any of which counts)."""

    name: str
    kind: Kind
    why: str
    has: str = "true"
    """Condition on a row of the packet table."""
    columns: tuple[str, ...] = ()
    """Expressions over such a row; of an address the beginning of the pair ``<end>_high``, ``<end>_low``; of a text
    the columns of the message table."""
    table: str = ""
    """Message table that holds it, and the column with the frame."""
    frame: str = "frame"

    def example(self) -> str:
        """The field in a comparison, to choose from."""
        examples = {
            "flag": f"{self.name} == 1", "address": f"{self.name} == ", "text": f'{self.name} contains "',
            "presence": self.name, "place": f'{self.name} == "',
            "name": f'{self.name} == "',
        }  # fmt: skip
        return examples.get(self.kind, f"{self.name} == ")


_IP4, _IP6 = "ip_version = 4", "ip_version = 6"
_TCP, _UDP = "protocol = 6", "protocol = 17"
_TCP_OR_QUOTED = "(protocol = 6 OR protocol IN (1, 58) AND source_port > 0)"
_ECHO = "protocol = 1 AND icmp_type IN (0, 8)"
_BOTH_PORTS = ("source_port", "destination_port")
_FLAGS: Final = (
    ("syn", p.SYN), ("ack", p.ACK), ("fin", p.FIN), ("reset", p.RST), ("push", p.PSH), ("urg", 0x20), ("ece", 0x40),
    ("cwr", 0x80),
)  # fmt: skip
_ANALYSIS: Final = (
    ("retransmission", p.MARK_RETRANSMISSION | p.MARK_FAST_RETRANSMISSION | p.MARK_SPURIOUS_RETRANSMISSION,
     "bytes, SYN or FIN sent before"),
    ("fast_retransmission", p.MARK_FAST_RETRANSMISSION, "sent again after three duplicate ACKs"),
    ("spurious_retransmission", p.MARK_SPURIOUS_RETRANSMISSION, "sent again although acknowledged"),
    ("out_of_order", p.MARK_OUT_OF_ORDER, "reordered in transit"),
    ("lost_segment", p.MARK_PREVIOUS_MISSING, "the segment before it was not captured"),
    ("ack_lost_segment", p.MARK_LOST_SEGMENT, "acknowledges what was not captured"),
    ("duplicate_ack", p.MARK_DUPLICATE_ACK, "the same acknowledgement again"),
    ("zero_window", p.MARK_ZERO_WINDOW, "its sender can take no more"),
    ("window_full", p.MARK_WINDOW_FULL, "uses the receiver's window up"),
    ("window_update", p.MARK_WINDOW_UPDATE, "nothing but another window"),
    ("zero_window_probe", p.MARK_ZERO_WINDOW_PROBE, "one byte beyond a closed window"),
    ("keep_alive", p.MARK_KEEP_ALIVE, "provokes an ACK"),
    ("keep_alive_ack", p.MARK_KEEP_ALIVE_ACK, "answers a keep-alive"),
    ("reused_ports", p.MARK_PORT_REUSE, "a SYN on a tuple used before"),
)  # fmt: skip


def _number(name: str, why: str, has: str, *columns: str) -> PacketField:
    return PacketField(name, "number", why, has, columns)


def _checksum(name: str, has: str, place: int, none: str = "'Unverified'") -> PacketField:
    """In Wireshark's words. What a sender leaves to its network card is Unverified, where Wireshark may say Bad."""
    names = f"WHEN {p.CHECKSUM_RIGHT} THEN 'Good' WHEN {p.CHECKSUM_WRONG} THEN 'Bad'"
    value = (
        f"CASE checksums // {1 << place} % 8 {names} WHEN {p.CHECKSUM_ZERO} THEN {none} ELSE 'Unverified' END"
    )
    return PacketField(name, "text", "Good, Bad or Unverified (cut, a fragment, offload)", has, (value,))


def _http(name: str, why: str, column: str, *, frame: str = "request_first_frame") -> PacketField:
    return PacketField(name, "text", why, columns=(column,), table="http", frame=frame)


_ALL: Final = (
    _number("frame.number", "number in its file", "true", "frame"),
    _number("frame.len", "bytes on the wire", "true", "original_bytes"),
    _number("frame.cap_len", "bytes in the file", "true", "captured_bytes"),
    PacketField("frame.time_relative", "seconds", "seconds after the first packet of all files", "true", ("time_ns",)),
    PacketField("ip.addr", "address", "address of either end", _IP4, ("source", "destination")),
    PacketField("ip.src", "address", "sent by", _IP4, ("source",)),
    PacketField("ip.dst", "address", "sent to", _IP4, ("destination",)),
    _number("ip.ttl", "hops left", _IP4, "ttl"),
    _number("ip.id", "identification", _IP4, "ip_id"),
    _number("ip.proto", "protocol number", _IP4, "protocol"),
    _checksum("ip.checksum.status", _IP4, p.HEADER_CHECKSUM),
    PacketField("ipv6.addr", "address", "address of either end", _IP6, ("source", "destination")),
    PacketField("ipv6.src", "address", "sent by", _IP6, ("source",)),
    PacketField("ipv6.dst", "address", "sent to", _IP6, ("destination",)),
    _number("ipv6.hlim", "hops left", _IP6, "ttl"),
    _number("tcp.port", "port of either end", _TCP_OR_QUOTED, *_BOTH_PORTS),
    _number("tcp.srcport", "port it came from", _TCP_OR_QUOTED, "source_port"),
    _number("tcp.dstport", "port it goes to", _TCP_OR_QUOTED, "destination_port"),
    _number("tcp.seq_raw", "sequence number as sent", _TCP_OR_QUOTED, "sequence"),
    _number("tcp.ack_raw", "acknowledged, as sent", _TCP, "acknowledgement"),
    _number("tcp.len", "bytes of payload", _TCP, "payload_bytes"),
    _number("tcp.window_size_value", "receive window as sent", _TCP, '"window"'),
    _checksum("tcp.checksum.status", _TCP, p.TRANSPORT_CHECKSUM),
    _number("tcp.options.mss_val", "largest segment (of a SYN)", f"{_TCP} AND mss > 0", "mss"),
    _number("tcp.options.timestamp.tsval", "the sender's clock", f"{_TCP} AND timestamp_value > 0", "timestamp_value"),
    _number("tcp.options.timestamp.tsecr", "the clock heard last", f"{_TCP} AND timestamp_value > 0",
            "timestamp_echo"),
    _number("tcp.flags", "all flags as a number", _TCP, "tcp_flags"),
    *(PacketField(f"tcp.flags.{name}", "flag", f"the flag {name.upper()}, 1 or 0", _TCP, (f"(tcp_flags // {bit}) % 2",))
      for name, bit in _FLAGS),
    *(PacketField(f"tcp.analysis.{name}", "presence", why, f"{_TCP} AND marks & {bits} <> 0")
      for name, bits, why in _ANALYSIS),
    _number("udp.port", "port of either end", _UDP, *_BOTH_PORTS),
    _number("udp.srcport", "port it came from", _UDP, "source_port"),
    _number("udp.dstport", "port it goes to", _UDP, "destination_port"),
    _checksum("udp.checksum.status", _UDP, p.TRANSPORT_CHECKSUM,
              "CASE ip_version WHEN 4 THEN 'Not present' ELSE 'Illegal' END"),
    _number("icmp.type", "type", "protocol = 1", "icmp_type"),
    _number("icmp.code", "code", "protocol = 1", "icmp_code"),
    _number("icmp.seq", "sequence number of an echo", _ECHO, "sequence % 65536"),
    _number("icmp.ident", "identifier of an echo", _ECHO, "sequence // 65536"),
    _number("icmpv6.type", "type", "protocol = 58", "icmp_type"),
    _number("icmpv6.code", "code", "protocol = 58", "icmp_code"),
    _number("vlan.id", "outermost VLAN", "vlan > 0", "vlan"),
    *(PacketField(name, "presence", why, has) for name, why, has in (
        ("ip", "IPv4", _IP4), ("ipv6", "IPv6", _IP6), ("tcp", "TCP", _TCP), ("udp", "UDP", _UDP),
        ("icmp", "ICMP", "protocol = 1"), ("icmpv6", "ICMPv6", "protocol = 58"), ("vlan", "tagged", "vlan > 0"))),
    _http("http.request.method", "GET, POST …", "method"),
    _http("http.request.uri", "path of a request", "path"),
    _http("http.host", "host of a request", "host"),
    _http("http.user_agent", "user agent of a request", "user_agent"),
    PacketField("http.response.code", "number", "status of a response", columns=("status",), table="http",
                frame="response_first_frame"),
    PacketField("dns.qry.name", "text", "name that is asked for", columns=("name",), table="dns"),
    PacketField("tls.handshake.extensions_server_name", "text", "name in a ClientHello", columns=("server_name",),
                table="tls"),
    PacketField("conn", "connection", "a connection over all its capture points", columns=("cid",)),
    PacketField("nat.port", "connection", "a translated port", columns=("nat_client_port", "nat_server_port")),
    PacketField("lane", "place", "a capture point, by its name"),
    PacketField("file", "place", "a capture file"),
    PacketField("finding", "place", "evidence of a finding, by its letter"),
    PacketField("pod", "name", "a pod at either end, by the time of the packet"),
    PacketField("service", "name", "an address of a service at either end"),
    PacketField("node", "name", "a node or a host at either end"),
    PacketField("missing", "place", "connections that a capture point should have seen"),
)  # fmt: skip
PACKET_FIELDS: Final = {field.name: field for field in _ALL}
"""By name."""


def message_frames(
    field: PacketField, tables: CaptureTables, condition: str
) -> tuple[str, tuple[Value, ...]] | None:
    """Condition on a row of the packet table: its frame begins a message with that; None when there are none."""
    path = tables.folder / f"{field.table}.parquet"
    if not path.is_file():
        return None
    return f"frame IN (SELECT {field.frame} FROM read_parquet(?) WHERE {condition})", (str(path),)
