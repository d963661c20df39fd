"""scapy as the reference decoder: addresses, ports, flags and numbers, frame by frame."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.utils import PcapNgReader, PcapReader

from backend.forensics.addresses import address_text
from backend.forensics.packets import DECODED_TRANSPORT
from workers.decode.captures import NotACapture, decode_capture

SAMPLES = Path(__file__).parent / "samples"
_MOST_FRAMES = 800


def _ours(row: dict[str, int]) -> tuple[object, ...]:
    ends = tuple(address_text(row[f"{end}_high"], row[f"{end}_low"]) for end in ("source", "destination"))
    ports = (row["source_port"], row["destination_port"])
    numbers = (row["tcp_flags"], row["sequence"], row["acknowledgement"], row["payload_bytes"])
    return ends + ports + (numbers if row["protocol"] == 6 else ())


def _theirs(packet: Any) -> tuple[object, ...] | None:
    """The same of scapy's packet; None when it sees no plain TCP or UDP."""
    network = packet.getlayer(IP) or packet.getlayer(IPv6)
    if network is None or not isinstance(network.payload, TCP | UDP):
        return None
    transport = network.payload
    ends = (network.src, network.dst, transport.sport, transport.dport)
    if isinstance(transport, UDP):
        return ends
    length = network.len - 4 * network.ihl if isinstance(network, IP) else network.plen
    data = max(0, length - 4 * transport.dataofs)  # a first fragment may end inside the header
    return (*ends, int(transport.flags), transport.seq, transport.ack, data)


def _compare(path: Path, folder: Path) -> int:
    table = folder / "packets.parquet"
    decode_capture(path, name=path.name, sha256="", packets_path=table)
    rows = pq.read_table(table).slice(0, _MOST_FRAMES).to_pylist()
    reader = PcapNgReader if path.read_bytes()[:4] == b"\n\r\r\n" else PcapReader
    compared = 0
    with reader(str(path)) as packets:
        for row, packet in zip(rows, packets, strict=False):
            theirs = _theirs(packet)
            is_plain = row["layers"] == DECODED_TRANSPORT and row["protocol"] in (6, 17) and not row["tunnel"]
            if theirs is not None and is_plain:
                assert _ours(row) == theirs, f"{path.name}#{row['frame']}"
                compared += 1
    return compared


@pytest.mark.parametrize("name", ["big-endian.pcap", "three-interfaces.pcapng", "vlan.pcap", "any-sll1.pcap"])
def test_our_samples(name: str, tmp_path: Path) -> None:
    assert _compare(SAMPLES / name, tmp_path) >= 500


def test_captures_from_elsewhere(extra_captures: Path, tmp_path: Path) -> None:
    paths = sorted(path for path in extra_captures.glob("public/*.pcap*"))
    compared = 0
    for path in paths:
        try:
            compared += _compare(path, tmp_path)
        except NotACapture:
            continue
    assert compared > 500
