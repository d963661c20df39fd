"""Credentials in forms that are rare or hostile: each a capture file of its own."""

from __future__ import annotations

import gzip
import struct
from collections.abc import Callable
from typing import Any, Final

from scapy.contrib.geneve import GENEVE
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import GRE, Dot1AD, Dot1Q, Ether
from scapy.layers.ppp import PPP, PPPoE
from scapy.layers.vxlan import VXLAN
from scapy.packet import Raw

from workers.decode.tests.capture_bytes import MS, block, enhanced, interface, pcap, section
from workers.decode.tests.credential_captures import (
    SERVICES,
    Service,
    Talk,
    answer_of,
    asked,
    file_of,
    pieces_of,
)

_OF: Final = {service.name: service for service in SERVICES}
_V1, _V2, _OAUTH, _STS = (_OF[name] for name in ("imds-v1", "imds-v2", "oauth", "sts"))
_OUTER: Final = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02")


def _whole(service: Service = _OAUTH) -> list[Any]:
    return asked(service).say(answer_of(service), 300, back=True).packets


def _wrapped(header: Callable[[], Any], *, keeps_link: bool) -> bytes:
    """Each packet of a connection to no metadata address behind a tunnel's header."""
    return file_of([_OUTER / header() / (p if keeps_link else p.payload) for p in _whole()])


def _ip() -> Any:
    return IP(src="192.0.2.1", dst="192.0.2.2", id=7)


def _http_2() -> bytes:
    talk = Talk(_OAUTH).open()
    head = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
    data = _OAUTH.body
    frame = len(data).to_bytes(3, "big") + bytes([0, 1, 0, 0, 0, 1]) + data
    return file_of(talk.say(head, back=False).say(frame, back=True).packets)


def _pipelined() -> bytes:
    talk = Talk(_OAUTH).open()
    harmless = b"GET /health HTTP/1.1\r\nHost: a\r\n\r\n"
    talk.say(harmless + _OAUTH.requests[0] + harmless, back=False)
    ok = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    return file_of(talk.say(ok + answer_of(_OAUTH) + ok, 90, 200, back=True).packets)


def _continue() -> bytes:
    head, _, body = _OAUTH.requests[0].partition(b"\r\n\r\n")
    talk = Talk(_OAUTH).open().say(head + b"\r\nExpect: 100-continue\r\n\r\n", back=False)
    talk.say(b"HTTP/1.1 100 Continue\r\n\r\n", back=True).say(body, back=False)
    return file_of(talk.say(answer_of(_OAUTH), back=True).packets)


def _proxied() -> bytes:
    request = _V1.requests[0].replace(
        b"GET /", b"GET http://user:%s@169.254.169.254/" % _V1.secrets[1].encode()
    )
    talk = Talk(_OAUTH).open().say(request, back=False)
    return file_of(talk.say(answer_of(_V1), back=True).packets)


def _connect() -> bytes:
    talk = Talk(_OAUTH).open().say(b"CONNECT sts.amazonaws.com:80 HTTP/1.1\r\nHost: sts\r\n\r\n", back=False)
    talk.say(b"HTTP/1.1 200 Connection established\r\n\r\n", back=True).say(_STS.requests[0], back=False)
    return file_of(talk.say(answer_of(_STS), back=True).packets)


def _web_socket() -> bytes:
    ask = (
        b"GET /ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nCookie: s=%s\r\n\r\n"
        % _OAUTH.secrets[0].encode()
    )
    talk = Talk(_OAUTH).open().say(ask, back=False)
    talk.say(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n", back=True)
    return file_of(
        talk.say(b"\x81\x7e" + struct.pack("!H", len(_OAUTH.body)) + _OAUTH.body, back=True).packets
    )


def _coded() -> bytes:
    packed = gzip.compress(_OAUTH.body)
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n%x\r\n" % len(packed)
    trailer = b"\r\n0\r\nX-Session-Token: %s\r\n\r\n" % _OAUTH.secrets[1].encode()
    return file_of(asked(_OAUTH).say(head + packed + trailer, back=True).packets)


def _multipart() -> bytes:
    part = (
        b'--b\r\nContent-Disposition: form-data; name="client_secret"\r\n\r\n%s\r\n--b--'
        % _OAUTH.secrets[0].encode()
    )
    ask = b"POST /x HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: %d\r\n\r\n"
    return file_of(Talk(_OAUTH).open().say(ask % len(part) + part, 140, back=False).packets)


def _urgent() -> bytes:
    talk = asked(_V1)
    talk.packet("PAU", answer_of(_V1), back=True)
    talk.packet("A", _V1.secrets[1].encode()[:9], back=True, sequence=talk.next[1] - 9)
    return file_of(talk.packets)


def _fast_open() -> bytes:
    talk = Talk(_OAUTH)
    talk.next = [1000, 5000]
    talk.packet("S", _OAUTH.requests[0], back=False)
    talk.packet("SA", answer_of(_OAUTH), back=True)
    return file_of(talk.packets)


def _out_of_order() -> bytes:
    packets = asked(_OAUTH).say(answer_of(_OAUTH), 60, 110, 150, back=True).packets
    return file_of([*packets[:-4], packets[-1], packets[-3], packets[-2], packets[-4], packets[-3]])


def _quoted() -> bytes:
    packets = _whole()
    errors = [
        _OUTER / IP(src="192.0.2.9", dst=p[IP].src, id=9) / ICMP(type=3, code=4) / Raw(bytes(p[IP]))
        for p in packets
    ]
    return file_of(errors[-2:])


def _padded() -> bytes:
    """A frame longer than its packet, with what the network card's buffer held before."""
    packets = asked(_V1).packets
    frames = [bytes(p) + _V1.body[:200] for p in packets]
    return file_of(frames)


def _unknown_type() -> bytes:
    return file_of([Ether(bytes(_OUTER)[:12] + b"\x88\xb5") / Raw(bytes(p.payload)) for p in _whole()])


def _first_fragment_lost() -> bytes:
    packets: list[Any] = []
    for packet in _whole(_V1):
        parts = pieces_of(packet, 160) if len(packet[TCP].payload) > 250 else [packet]
        packets += parts[1:] if len(parts) > 1 else []
    return file_of(packets)


def _pcapng(order: str) -> bytes:
    data = section(order) + interface("eth0", link_type=1, order=order)
    keys = b"CLIENT_RANDOM " + _OAUTH.secrets[0].encode()
    data += block(10, struct.pack(order + "II", 0x544C534B, len(keys)) + keys, order)
    return data + b"".join(enhanced(0, n * 1000, bytes(p), order) for n, p in enumerate(_whole()))


def _snoop() -> bytes:
    data = b"snoop\0\0\0" + struct.pack(">II", 2, 4)
    for number, packet in enumerate(_whole()):
        raw = bytes(packet)
        padding = bytes(-len(raw) % 4)
        data += (
            struct.pack(">IIIIII", len(raw), len(raw), 24 + len(raw) + len(padding), 0, number, 0)
            + raw
            + padding
        )
    return data


def _cooked() -> bytes:
    head = struct.pack(">HHH8sH", 0, 1, 6, bytes(8), 0x0800)
    return pcap([(n * MS, head + bytes(p.payload)) for n, p in enumerate(_whole())], link_type=113)


def _big_endian() -> bytes:
    return pcap([(n * MS, bytes(p)) for n, p in enumerate(_whole())], link_type=1, order=">")


ATTACKS: Final[dict[str, Callable[[], bytes]]] = {
    "http-2": _http_2,
    "pipelined": _pipelined,
    "100-continue": _continue,
    "imds-over-ipv6": lambda: file_of(asked(_V2, v6=True).say(answer_of(_V2), 200, back=True).packets),
    "absolute-target": _proxied,
    "connect": _connect,
    "web-socket": _web_socket,
    "transfer-coding-and-trailer": _coded,
    "multipart": _multipart,
    "urgent-and-keep-alive": _urgent,
    "fast-open": _fast_open,
    "out-of-order": _out_of_order,
    "quoted-in-icmp": _quoted,
    "padded-frames": _padded,
    "unknown-ether-type": _unknown_type,
    "first-fragment-lost": _first_fragment_lost,
    "vxlan": lambda: _wrapped(lambda: _ip() / UDP(sport=1234, dport=4789) / VXLAN(vni=5), keeps_link=True),
    "geneve": lambda: _wrapped(lambda: _ip() / UDP(sport=1234, dport=6081) / GENEVE(proto=0x6558), keeps_link=True),
    "gre": lambda: _wrapped(lambda: _ip() / GRE(), keeps_link=False),
    "ip-in-ip": lambda: _wrapped(_ip, keeps_link=False),
    "ip-in-ipv6": lambda: _wrapped(lambda: IPv6(src="fd01::1", dst="fd01::2"), keeps_link=False),
    "vlan-in-vlan": lambda: _wrapped(lambda: Dot1AD(vlan=3) / Dot1Q(vlan=4), keeps_link=False),
    "pppoe": lambda: _wrapped(lambda: PPPoE(sessionid=1) / PPP(proto=0x21), keeps_link=False),
    "pcapng": lambda: _pcapng("<"),
    "pcapng-big-endian": lambda: _pcapng(">"),
    "snoop": _snoop,
    "linux-cooked": _cooked,
    "pcap-big-endian": _big_endian,
}  # fmt: skip
