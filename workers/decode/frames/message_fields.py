"""Application messages in the packets that pyshark reads: of each protocol the fields that say what a message is.

Only fields that are named here are shown: bodies, headers made for secrets and arguments of queries are not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from backend.forensics.wireshark import DecodedMessage, MessageField
from workers.decode.frames.printed_text import PrintedText

_TLS: Final = (
    "tls.record.version", "tls.handshake.type", "tls.handshake.extensions_server_name", "tls.handshake.ciphersuite",
    "tls.alert_message.level", "tls.alert_message.desc",
)  # fmt: skip
MESSAGE_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "amqp": ("amqp.type", "amqp.channel"),
    "dhcp": ("dhcp.option.dhcp", "dhcp.ip.your"),
    "dns": (
        "dns.qry.name", "dns.qry.type", "dns.flags.rcode", "dns.count.answers", "dns.a", "dns.aaaa", "dns.cname",
        "dns.time",
    ),
    "grpc": ("grpc.message_length",),
    "http": (
        "http.request.method", "http.request.uri", "http.host", "http.response.code", "http.response.phrase",
        "http.content_type", "http.content_length_header", "http.time",
    ),
    "http2": (
        "http2.streamid", "http2.type", "http2.headers.method", "http2.headers.path", "http2.headers.authority",
        "http2.headers.status", "http2.rst_stream.error", "http2.goaway.error",
        "http2.window_update.window_size_increment",
    ),
    "http3": ("http3.frame_type",),
    "kafka": ("kafka.api_key", "kafka.error"),
    "memcache": ("memcache.command", "memcache.response"),
    "mqtt": ("mqtt.msgtype",),
    "mysql": ("mysql.command", "mysql.error_code"),
    "ntp": ("ntp.flags.mode", "ntp.stratum"),
    "pgsql": ("pgsql.type",),
    "quic": ("quic.long.packet_type", "quic.frame_type", "tls.handshake.type", "tls.handshake.extensions_server_name"),
    "tls": _TLS,
    "websocket": ("websocket.opcode", "websocket.payload_length"),
}  # fmt: skip
"""Protocol -> fields, by Wireshark's names."""
_CARRIES_ENCRYPTED: Final = frozenset({"tls", "quic", "dtls"})
_NO_MESSAGE: Final = frozenset({"data", "_ws.malformed", "_ws.short", "tcp.segments", "media", "json", "xml"})
_OF_ONE_FIELD: Final = 4
_OF_ONE_PACKET: Final = 8


def messages_of(packet: Any, text: PrintedText, *, decrypts: bool) -> tuple[DecodedMessage, ...]:
    """The messages of a pyshark packet. `decrypts`: a key log was given, so that what lies in TLS was encrypted."""
    found: list[DecodedMessage] = []
    inside = False
    for layer in packet.layers:
        name = layer.layer_name.lower()
        if name in MESSAGE_FIELDS and len(found) < _OF_ONE_PACKET:
            decrypted = decrypts and inside and name not in _CARRIES_ENCRYPTED
            found.append(DecodedMessage(name, tuple(_fields(layer, MESSAGE_FIELDS[name], text)), decrypted))
        inside = inside or name in _CARRIES_ENCRYPTED
    return tuple(found)


def hides_decrypted(packet: Any) -> bool:
    """Whether TLS of the packet carries a protocol of which nothing is shown."""
    names = [layer.layer_name.lower() for layer in packet.layers]
    begin = next((at for at, name in enumerate(names) if name in _CARRIES_ENCRYPTED), len(names))
    known = MESSAGE_FIELDS.keys() | _NO_MESSAGE
    return any(name not in known for name in names[begin:])


def _fields(layer: Any, names: tuple[str, ...], text: PrintedText) -> Iterator[MessageField]:
    for name in names:
        container = layer.get_field(name)
        for field in container.all_fields[:_OF_ONE_FIELD] if container is not None else ():
            label = field.showname_key or name
            value = field.showname_value or field.show or ""
            if value:
                yield MessageField(label, text.cleared(value))
