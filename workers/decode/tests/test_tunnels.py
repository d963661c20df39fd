"""Which packets are in a tunnel and which only look like it; what keeps connections apart; hurt tunnels."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from backend.forensics.captures import Capture
from backend.forensics.packets import SYN
from backend.forensics.tunnels import VXLAN, layer_rows, tunnels_of_rows
from backend.services.describe_packet import tunnel_of
from workers.decode.tests.capture_bytes import decode, ethernet, handshake, ipv4, pcap, tcp

NODES: Any = {"source": "172.16.0.1", "destination": "172.16.0.2"}
BACK: Any = {"source": "172.16.0.2", "destination": "172.16.0.1"}


def udp(payload: bytes, port: int, *, back: bool = False) -> bytes:
    """A UDP packet between two nodes."""
    segment = struct.pack(">HHHH", 50000, port, 8 + len(payload), 0) + payload
    return ipv4(segment, 17, **(BACK if back else NODES))


def vxlan(packet: bytes, vni: int, *, flags: int = 0x08, back: bool = False) -> bytes:
    """An IP packet in Ethernet in VXLAN."""
    return udp(struct.pack(">B3xI", flags, vni << 8) + ethernet(packet), 4789, back=back)


def row_of(packet: bytes, folder: Path) -> tuple[Capture, dict[str, int]]:
    capture = decode(pcap([(0, packet)]), folder, table=True)
    row: dict[str, int] = pq.read_table(folder / "packets.parquet").to_pylist()[0]
    return capture, row


def test_both_directions_of_a_tunnel_are_one_path_and_one_connection(tmp_path: Path) -> None:
    packets = [(when, vxlan(packet, 7, back=n == 1)) for n, (when, packet) in enumerate(handshake())]
    capture = decode(pcap(packets), tmp_path)
    assert len(capture.connections) == 1
    assert [str(tunnel) for tunnel in capture.tunnels] == ["", "VXLAN VNI 7 (172.16.0.1 ↔ 172.16.0.2)"]
    assert capture.connections["established_ns"][0] > 0


def test_equal_tuples_in_two_networks_and_bare_are_three_connections(tmp_path: Path) -> None:
    packets = [vxlan(tcp(SYN), 1), vxlan(tcp(SYN), 2), tcp(SYN)]
    capture = decode(pcap([(n, packet) for n, packet in enumerate(packets)]), tmp_path)
    assert len(capture.connections) == 3
    assert len(set(capture.connections["network"].tolist())) == 3


def test_equal_tuples_in_one_network_between_other_nodes_are_one_connection(tmp_path: Path) -> None:
    elsewhere = vxlan(tcp(SYN), 1).replace(bytes([172, 16, 0, 2]), bytes([172, 16, 0, 9]))
    capture = decode(pcap([(0, vxlan(tcp(SYN), 1)), (1, elsewhere)]), tmp_path)
    assert (len(capture.connections), len(capture.tunnels)) == (1, 3)


def test_vlans_inside_one_another_keep_connections_apart(tmp_path: Path) -> None:
    def tagged(outer: int, inner: int) -> bytes:
        return ethernet(struct.pack(">HHHH", outer, 0x8100, inner, 0x0800) + tcp(SYN), 0x88A8)

    frames = [tagged(5, 6), tagged(5, 7), tagged(5, 6)]
    capture = decode(pcap([(n, frame) for n, frame in enumerate(frames)], link_type=1), tmp_path)
    assert len(capture.connections) == 2
    assert [str(tunnel) for tunnel in capture.tunnels] == ["", "VLAN 5 › VLAN 6", "VLAN 5 › VLAN 7"]


@pytest.mark.parametrize(
    "packet",
    [
        vxlan(tcp(SYN), 1, flags=0x00),  # no network id
        vxlan(tcp(SYN), 1, flags=0x18),  # a reserved bit
        udp(b"GET / HTTP/1.1\r\n", 4789),
        udp(bytes(60), 6081),
        udp(b"\x45" + bytes(10), 8285),
        udp(b"\x45\x00\xff\xff" + bytes(40), 8285),
        udp(b"\x32\xff" + bytes(60), 2152),
        udp(b"x" * 60, 1701),
    ],
)
def test_a_port_alone_makes_no_tunnel(packet: bytes, tmp_path: Path) -> None:
    capture, row = row_of(packet, tmp_path)
    assert (row["tunnel"], row["source_port"], capture.undecoded) == (0, 50000, {})
    assert len(capture.connections) == 1


@pytest.mark.parametrize(
    ("payload", "opaque"),
    [
        (struct.pack("<II", 1, 9) + bytes(140), True),
        (struct.pack("<II", 1, 9) + bytes(141), False),
        (struct.pack("<II", 2, 9) + bytes(84), True),
        (struct.pack("<II", 3, 9) + bytes(56), True),
        (struct.pack("<IIQ", 4, 9, 77) + bytes(16), True),
        (struct.pack("<IIQ", 4, 9, 77) + bytes(17), False),
        (struct.pack("<IIQ", 4, 9, 1 << 48) + bytes(16), False),
        (struct.pack("<II", 5, 9) + bytes(24), False),
    ],
)
def test_wireguard_is_told_by_content_and_stays_closed(payload: bytes, opaque: bool, tmp_path: Path) -> None:
    capture, row = row_of(udp(payload, 12345), tmp_path)
    assert capture.undecoded == ({"WireGuard (encrypted)": 1} if opaque else {})
    assert row["destination_port"] == 12345
    assert len(capture.connections) == 1


def test_esp_is_opaque(tmp_path: Path) -> None:
    capture, row = row_of(ipv4(b"\1" * 60, 50), tmp_path)
    assert (row["protocol"], capture.undecoded) == (50, {"ESP (encrypted)": 1})
    capture, row = row_of(udp(b"\1" * 60, 4500), tmp_path)
    assert capture.undecoded == {"ESP in UDP (encrypted)": 1}


@pytest.mark.parametrize(("depth", "port"), [(8, 80), (9, 0)])
def test_depth_is_bounded(depth: int, port: int, tmp_path: Path) -> None:
    packet = tcp(SYN)
    for _ in range(depth):
        packet = ipv4(packet, 4, **NODES)
    capture, row = row_of(packet, tmp_path)
    assert row["destination_port"] == port
    assert capture.undecoded == ({} if port else {"wrapped in more than 8 layers": 1})


@pytest.mark.parametrize("kept", range(20, 108))
def test_what_is_cut_keeps_what_was_read(kept: int, tmp_path: Path) -> None:
    """VXLAN: IP 20, UDP 28, VXLAN 36, Ethernet 50, IP 70, TCP 90, options 102."""
    whole = vxlan(tcp(SYN), 3)
    data = bytearray(pcap([(0, whole[:kept])]))
    data[24 + 12 : 24 + 16] = struct.pack("<I", len(whole))
    capture = decode(bytes(data), tmp_path, table=True)
    row = pq.read_table(tmp_path / "packets.parquet").to_pylist()[0]
    assert row["ip_version"] == 4
    if kept < 28:
        assert capture.undecoded == {"cut short in the transport header": 1}
    elif kept < 70:
        assert (capture.undecoded, row["destination_port"]) == ({"cut short in a tunnel header": 1}, 4789)
    elif kept < 90:
        assert (capture.undecoded, row["tunnel"]) == ({"cut short in the transport header": 1}, 1)
    else:
        assert (capture.undecoded, row["destination_port"], row["tunnel"]) == ({}, 80, 1)


def test_paths_survive_being_stored_and_are_told_in_words(tmp_path: Path) -> None:
    capture, row = row_of(vxlan(tcp(SYN), 42), tmp_path)
    rows = layer_rows(capture.tunnels)
    assert tunnels_of_rows(rows) == capture.tunnels
    assert capture.tunnels[row["tunnel"]].layers[0].kind == VXLAN
    named = [dict(zip(rows.dtype.names or (), layer.item(), strict=True)) for layer in rows]
    assert tunnel_of(named) == "VXLAN VNI 42 (172.16.0.1 ↔ 172.16.0.2)"
    assert tunnel_of([]) == ""
