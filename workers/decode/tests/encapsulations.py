"""Everything a packet can be wrapped in that the decoder looks into, written by scapy (and by hand where scapy
has no layer). The table of formats in the documentation is made from this list."""

# ruff: noqa: N811 - scapy names some layers in capitals only

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from scapy.contrib.erspan import ERSPAN_I, ERSPAN_II, ERSPAN_III
from scapy.contrib.etherip import EtherIP
from scapy.contrib.geneve import GENEVE as GeneveHeader
from scapy.contrib.gtp import GTP_U_Header, GTPPDUSessionContainer
from scapy.contrib.mpls import MPLS as MplsLabel
from scapy.layers.dot11 import Dot11, Dot11QoS, RadioTap
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import GRE as GreHeader
from scapy.layers.l2 import LLC, SNAP, CookedLinux, CookedLinuxV2, Dot1AD, Dot1Q, Ether
from scapy.layers.ppp import PPP, PPPoE
from scapy.layers.vxlan import VXLAN as VxlanHeader

from backend.forensics.tunnels import (
    ERSPAN,
    ETHER_IP,
    FLANNEL_UDP,
    GENEVE,
    GRE,
    GTP_U,
    IP_IN_IP,
    L2TP,
    MPLS,
    NVGRE,
    PPPOE,
    TEREDO,
    VLAN,
    VXLAN,
    VXLAN_GPE,
)

OUTER = ("172.16.0.1", "172.16.0.2")
OUTER6 = ("fd00::1", "fd00::2")
MAC_BYTES = bytes.fromhex("020000000002020000000001")
MAC: Any = {"src": "02:00:00:00:00:01", "dst": "02:00:00:00:00:02"}

Layers = list[tuple[int, int | None]]
Write = Callable[[Any, int], Any]


@dataclass(frozen=True)
class Encapsulation:
    """`write(inner IP packet, number)` gives the frame; `layers` the path expected, with `number` in it."""

    name: str
    told: str
    """What is kept of it, in words."""
    link_type: int
    write: Write
    layers: Callable[[int], Layers]
    bits: int = 12
    """Of the number that is written."""
    only: int | None = None
    """Carries this IP version alone."""
    in_ip: bool = False
    """Whether the outer addresses are kept."""


def _ether() -> Any:
    return Ether(**MAC)


def _outer() -> Any:
    return Ether(**MAC) / IP(src=OUTER[0], dst=OUTER[1])


def _udp(port: int) -> Any:
    return _outer() / UDP(sport=50000, dport=port, chksum=0)


def _ether_type(inner: Any) -> int:
    return 0x0800 if isinstance(inner, IP) else 0x86DD


def _nflog(inner: Any, number: int) -> bytes:
    """Attributes as Linux writes them: prefix (10), then the payload (9)."""
    payload = bytes(inner)
    family = 2 if isinstance(inner, IP) else 10
    prefix = struct.pack("<HH", 4 + 5, 10) + b"test\0" + bytes(3)
    body = struct.pack("<HH", 4 + len(payload), 9) + payload + bytes(-len(payload) % 4)
    return struct.pack(">BBH", family, 0, number) + prefix + body


def _cooked(inner: Any, number: int) -> Any:
    return CookedLinux(proto=_ether_type(inner)) / inner


def _cooked_2(inner: Any, number: int) -> Any:
    return CookedLinuxV2(proto=_ether_type(inner), ifindex=3) / inner


def _loopback(inner: Any, number: int) -> bytes:
    return struct.pack("<I", 2 if isinstance(inner, IP) else 24) + bytes(inner)


def _ppp(inner: Any) -> Any:
    return PPP(proto=0x21 if isinstance(inner, IP) else 0x57) / inner


def _wireless(inner: Any) -> Any:
    return LLC(dsap=0xAA, ssap=0xAA, ctrl=3) / SNAP(OUI=0, code=_ether_type(inner)) / inner


def _erspan_3(inner: Any, number: int) -> Any:
    gre = GreHeader(proto=0x22EB, seqnum_present=1, sequence_number=7)
    return _outer() / gre / ERSPAN_III(session_id=number & 1023) / _ether() / inner


def _gtp(inner: Any, number: int) -> Any:
    head = GTP_U_Header(teid=number, E=1, next_ex=0x85) / GTPPDUSessionContainer(type=0, QFI=3)
    return _udp(2152) / head / inner


def _l2tp(inner: Any, number: int) -> Any:
    head = struct.pack(">HHH", 0x0002, 1, number & 0xFFFF) + b"\xff\x03"
    return _udp(1701) / (head + bytes(_ppp(inner)))


def _vxlan_gpe(inner: Any, number: int) -> Any:
    head = struct.pack(">BHBI", 0x0C, 0, 1 if isinstance(inner, IP) else 2, number << 8)
    return _udp(4790) / (head + bytes(inner))


def _none(number: int) -> Layers:
    return []


ENCAPSULATIONS: tuple[Encapsulation, ...] = (
    Encapsulation("Ethernet", "", 1, lambda inner, n: _ether() / inner, _none),
    Encapsulation("Linux cooked v1", "direction", 113, _cooked, _none),
    Encapsulation("Linux cooked v2", "direction, interface index", 276, _cooked_2, _none),
    Encapsulation("raw IP", "", 101, lambda inner, n: inner, _none),
    Encapsulation("BSD null and loop", "", 0, _loopback, _none),
    Encapsulation("NFLOG", "the payload attribute", 239, _nflog, _none),
    Encapsulation("PPP", "", 9, lambda inner, n: _ppp(inner), _none),
    Encapsulation("PPP in HDLC framing", "", 50, lambda inner, n: b"\xff\x03" + bytes(_ppp(inner)), _none),
    Encapsulation("PPP of pppd", "direction", 166, lambda inner, n: b"\x01\x03" + bytes(_ppp(inner)), _none),
    Encapsulation("PPP with direction", "direction", 204, lambda inner, n: b"\0" + bytes(_ppp(inner)), _none),
    Encapsulation(
        "Cisco HDLC",
        "",
        104,
        lambda inner, n: struct.pack(">HH", 0x0F00, _ether_type(inner)) + bytes(inner),
        _none,
    ),
    Encapsulation(
        "802.11 data frame",
        "",
        105,
        lambda inner, n: Dot11(type=2, subtype=0, FCfield=1) / _wireless(inner),
        _none,
    ),
    Encapsulation(
        "802.11 with radiotap, QoS",
        "",
        127,
        lambda inner, n: RadioTap() / Dot11(type=2, subtype=8, FCfield=2) / Dot11QoS() / _wireless(inner),
        _none,
    ),
    Encapsulation(
        "802.11 with four addresses",
        "",
        127,
        lambda inner, n: (
            RadioTap() / Dot11(type=2, subtype=0, FCfield=3, addr4=MAC["src"]) / _wireless(inner)
        ),
        _none,
    ),
    Encapsulation("802.3 with LLC and SNAP", "", 1, lambda inner, n: MAC_BYTES + _snap(inner), _none),
    Encapsulation(
        "VLAN (802.1Q)",
        "VLAN id",
        1,
        lambda inner, n: _ether() / Dot1Q(vlan=n) / inner,
        lambda n: [(VLAN, n)],
    ),
    Encapsulation(
        "QinQ (802.1ad)",
        "all VLAN ids",
        1,
        lambda inner, n: _ether() / Dot1AD(vlan=5) / Dot1Q(vlan=n) / inner,
        lambda n: [(VLAN, 5), (VLAN, n)],
    ),
    Encapsulation(
        "MPLS",
        "bottom label",
        1,
        lambda inner, n: _ether() / MplsLabel(label=9, s=0) / MplsLabel(label=n, s=1) / inner,
        lambda n: [(MPLS, n)],
        bits=20,
    ),
    Encapsulation(
        "MPLS pseudo-wire with Ethernet",
        "bottom label",
        1,
        lambda inner, n: _ether() / MplsLabel(label=n, s=1) / (bytes(4) + bytes(_ether() / inner)),
        lambda n: [(MPLS, n)],
        bits=20,
    ),
    Encapsulation(
        "PPPoE",
        "session",
        1,
        lambda inner, n: _ether() / PPPoE(sessionid=n) / _ppp(inner),
        lambda n: [(PPPOE, n)],
        bits=16,
    ),
    Encapsulation(
        "IP in IP, 6in4",
        "outer addresses",
        1,
        lambda inner, n: _outer() / inner,
        lambda n: [(IP_IN_IP, None)],
        in_ip=True,
    ),
    Encapsulation(
        "IP in IPv6",
        "outer addresses",
        1,
        lambda inner, n: _ether() / IPv6(src=OUTER6[0], dst=OUTER6[1]) / inner,
        lambda n: [(IP_IN_IP, None)],
    ),
    Encapsulation(
        "GRE",
        "outer addresses",
        1,
        lambda inner, n: _outer() / GreHeader() / inner,
        lambda n: [(GRE, None)],
        in_ip=True,
    ),
    Encapsulation(
        "GRE with checksum, key, sequence",
        "key, outer addresses",
        1,
        lambda inner, n: (
            _outer() / GreHeader(chksum_present=1, key_present=1, key=n, seqnum_present=1) / inner
        ),
        lambda n: [(GRE, n)],
        bits=32,
        in_ip=True,
    ),
    Encapsulation(
        "GRE with bridged Ethernet",
        "key, outer addresses",
        1,
        lambda inner, n: _outer() / GreHeader(proto=0x6558, key_present=1, key=n) / _ether() / inner,
        lambda n: [(GRE, n)],
        bits=12,
        in_ip=True,
    ),
    Encapsulation(
        "NVGRE",
        "VSID, outer addresses",
        1,
        lambda inner, n: (
            _outer() / GreHeader(proto=0x6558, key_present=1, key=(0x1000 + n) << 8 | 77) / _ether() / inner
        ),
        lambda n: [(NVGRE, 0x1000 + n)],
        bits=20,
        in_ip=True,
    ),
    Encapsulation(
        "ERSPAN type I",
        "outer addresses",
        1,
        lambda inner, n: _outer() / GreHeader(proto=0x88BE) / ERSPAN_I() / _ether() / inner,
        lambda n: [(ERSPAN, None)],
        in_ip=True,
    ),
    Encapsulation(
        "ERSPAN type II",
        "session, outer addresses",
        1,
        lambda inner, n: (
            _outer()
            / GreHeader(proto=0x88BE, seqnum_present=1)
            / ERSPAN_II(session_id=n & 1023)
            / _ether()
            / inner
        ),
        lambda n: [(ERSPAN, n & 1023)],
        in_ip=True,
    ),
    Encapsulation(
        "ERSPAN type III",
        "session, outer addresses",
        1,
        _erspan_3,
        lambda n: [(ERSPAN, n & 1023)],
        in_ip=True,
    ),
    Encapsulation(
        "EtherIP",
        "outer addresses",
        1,
        lambda inner, n: _outer() / EtherIP(version=3) / _ether() / inner,
        lambda n: [(ETHER_IP, None)],
        in_ip=True,
    ),
    Encapsulation(
        "VXLAN (UDP 4789)",
        "VNI, outer addresses",
        1,
        lambda inner, n: _udp(4789) / VxlanHeader(vni=n, flags=8) / _ether() / inner,
        lambda n: [(VXLAN, n)],
        bits=24,
        in_ip=True,
    ),
    Encapsulation(
        "VXLAN (UDP 8472)",
        "VNI, outer addresses",
        1,
        lambda inner, n: _udp(8472) / VxlanHeader(vni=n, flags=8) / _ether() / inner,
        lambda n: [(VXLAN, n)],
        bits=24,
        in_ip=True,
    ),
    Encapsulation(
        "VXLAN-GPE (UDP 4790)",
        "VNI, outer addresses",
        1,
        _vxlan_gpe,
        lambda n: [(VXLAN_GPE, n)],
        bits=24,
        in_ip=True,
    ),
    Encapsulation(
        "Geneve (UDP 6081)",
        "VNI, outer addresses",
        1,
        lambda inner, n: _udp(6081) / GeneveHeader(vni=n, proto=0x6558) / _ether() / inner,
        lambda n: [(GENEVE, n)],
        bits=24,
        in_ip=True,
    ),
    Encapsulation(
        "flannel udp (UDP 8285)",
        "outer addresses",
        1,
        lambda inner, n: _udp(8285) / inner,
        lambda n: [(FLANNEL_UDP, None)],
        in_ip=True,
    ),
    Encapsulation(
        "GTP-U (UDP 2152)", "TEID, outer addresses", 1, _gtp, lambda n: [(GTP_U, n)], bits=32, in_ip=True
    ),
    Encapsulation(
        "L2TP version 2 (UDP 1701)",
        "session, outer addresses",
        1,
        _l2tp,
        lambda n: [(L2TP, n & 0xFFFF)],
        in_ip=True,
    ),
    Encapsulation(
        "Teredo (UDP 3544)",
        "outer addresses",
        1,
        lambda inner, n: _udp(3544) / inner,
        lambda n: [(TEREDO, None)],
        only=6,
        in_ip=True,
    ),
    Encapsulation(
        "VXLAN in a VLAN, tagged inside",
        "VLAN ids, VNI, outer addresses",
        1,
        lambda inner, n: (
            Ether(**MAC)
            / Dot1Q(vlan=9)
            / _udp(4789)[IP]
            / VxlanHeader(vni=n, flags=8)
            / _ether()
            / Dot1Q(vlan=7)
            / inner
        ),
        lambda n: [(VLAN, 9), (VXLAN, n), (VLAN, 7)],
        bits=24,
    ),
)


def _snap(inner: Any) -> bytes:
    body = bytes(_wireless(inner))
    return struct.pack(">H", len(body)) + body
