"""ARP packets and neighbor advertisements: who claims which address."""

import struct
from pathlib import Path

import pytest

from backend.forensics.messages import NEIGHBOR_ANSWER, NEIGHBOR_QUESTION
from workers.decode.tests.capture_bytes import MS, START_NS, decode, ethernet, pcap
from workers.decode.tests.conversation import rows

MAC = 0x02_00_00_00_AB_CD
HERE, THERE = bytes((10, 0, 0, 1)), bytes((10, 0, 0, 2))


def _arp(operation: int, sender: bytes = HERE, hardware: int = 1) -> bytes:
    head = struct.pack(">HHBBH", hardware, 0x0800, 6, 4, operation)
    return head + MAC.to_bytes(6, "big") + sender + bytes(6) + THERE


def _advertisement(option: bytes) -> bytes:
    address = (0xFD << 120 | 7).to_bytes(16, "big")
    message = struct.pack(">BBHI", 136, 0, 0, 0x60000000) + address + option
    head = struct.pack(">IHBB", 6 << 28, len(message), 58, 255)
    return head + address + (0xFD << 120 | 8).to_bytes(16, "big") + message


@pytest.mark.parametrize(("operation", "kind"), [(1, NEIGHBOR_QUESTION), (2, NEIGHBOR_ANSWER)])
@pytest.mark.parametrize("tags", [b"", bytes.fromhex("8100 0064")])
def test_each_arp_packet_claims_its_senders_address(
    tmp_path: Path, operation: int, kind: int, tags: bytes
) -> None:
    frame = bytes(12) + tags + b"\x08\x06" + _arp(operation)
    capture = decode(pcap([(3 * MS, frame)], link_type=1), tmp_path)
    [row] = rows(capture, "neighbors")
    assert (row["frame"], row["time_ns"], row["kind"], row["link_address"]) == (
        1,
        START_NS + 3 * MS,
        kind,
        MAC,
    )
    assert (row["sender_high"], row["sender_low"]) == (0, 0xFFFF0A000001)
    assert (row["target_high"], row["target_low"]) == (0, 0xFFFF0A000002)


@pytest.mark.parametrize(
    "packet", [_arp(1, sender=bytes(4)), _arp(3), _arp(2, hardware=6), _arp(2)[:27], b""]
)
def test_probes_other_operations_and_cut_packets_claim_nothing(tmp_path: Path, packet: bytes) -> None:
    capture = decode(pcap([(0, bytes(12) + b"\x08\x06" + packet)], link_type=1), tmp_path)
    assert rows(capture, "neighbors") == []
    assert capture.undecoded == {"ARP": 1}


def test_a_neighbor_advertisement_claims_its_target(tmp_path: Path) -> None:
    packet = ethernet(_advertisement(b"\x02\x01" + MAC.to_bytes(6, "big")), ether_type=0x86DD)
    capture = decode(pcap([(0, packet)], link_type=1), tmp_path)
    [row] = rows(capture, "neighbors")
    assert (row["kind"], row["link_address"]) == (NEIGHBOR_ANSWER, MAC)
    assert (row["sender_high"], row["sender_low"]) == (0xFD << 56, 7)
    assert (row["target_high"], row["target_low"]) == (0xFD << 56, 8)


@pytest.mark.parametrize("option", [b"", b"\x01\x01" + bytes(6)])
def test_an_advertisement_without_link_address_claims_nothing(tmp_path: Path, option: bytes) -> None:
    packet = ethernet(_advertisement(option), ether_type=0x86DD)
    assert rows(decode(pcap([(0, packet)], link_type=1), tmp_path), "neighbors") == []
