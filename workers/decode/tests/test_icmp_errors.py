"""ICMP errors and the connection of the packet they quote."""

import struct
from pathlib import Path
from typing import Any

import pytest

from backend.forensics.captures import Capture
from backend.forensics.detection.run import run_detectors
from backend.forensics.evidence.facts import gather_facts
from backend.forensics.packets import NO_CONNECTION, SYN
from workers.decode.tests.capture_bytes import MS, decode, ipv4, pcap, tcp
from workers.decode.tests.conversation import rows
from workers.decode.tests.test_dns_messages import udp


def _v6(payload: bytes, protocol: int, source: int = 1, destination: int = 2) -> bytes:
    head = struct.pack(">IHBB", 6 << 28, len(payload), protocol, 64)
    return head + source.to_bytes(16, "big") + destination.to_bytes(16, "big") + payload


def _error(kind: int, code: int, rest: int, quoted: bytes) -> bytes:
    return ipv4(
        struct.pack(">BBHI", kind, code, 0, rest) + quoted,
        protocol=1,
        source="10.0.0.254",
        destination="10.0.0.1",
    )


def _read(folder: Path, *packets: bytes) -> tuple[dict[str, Any], Capture]:
    capture = decode(pcap([(n * MS, packet) for n, packet in enumerate(packets)]), folder)
    [row] = rows(capture, "icmp_errors")
    return row, capture


@pytest.mark.parametrize(("kind", "code"), [(3, 1), (3, 3), (4, 0), (5, 1), (11, 0), (12, 0)])
def test_each_error_of_version_4(tmp_path: Path, kind: int, code: int) -> None:
    syn = tcp(SYN, 1000)
    row, capture = _read(tmp_path, syn, _error(kind, code, 0, syn[:28]))
    assert (row["type"], row["code"], row["quoted_protocol"], row["quoted_bytes"]) == (
        kind,
        code,
        6,
        len(syn),
    )
    assert (row["quoted_source_port"], row["quoted_destination_port"], row["quoted_sequence"]) == (
        40000,
        80,
        1000,
    )
    assert (row["connection"], row["mtu_bytes"], row["frame"]) == (0, 0, 2)
    assert row["sender_low"] == 0xFFFF0A0000FE
    assert len(capture.connections) == 1
    errors = capture.handshakes[capture.handshakes["protocol"] == 1]
    assert len(errors) == (1 if kind in (3, 11) else 0)
    for error in errors:
        assert (error["source_port"], error["destination_port"], error["connection"]) == (40000, 80, 0)
        assert error["source_low"] == 0xFFFF0A0000FE


def test_the_mtu_of_a_path(tmp_path: Path) -> None:
    row, _ = _read(tmp_path, tcp(SYN, 1000), _error(3, 4, 1400, tcp(SYN, 1000)[:28]))
    assert row["mtu_bytes"] == 1400


def test_a_quoted_datagram(tmp_path: Path) -> None:
    query = udp(b"x" * 30, (40000, 9999))
    row, _ = _read(tmp_path, query, _error(3, 3, 0, query[:28]))
    assert (row["quoted_protocol"], row["quoted_source_port"], row["connection"]) == (17, 40000, 0)


@pytest.mark.parametrize(("kind", "mtu"), [(1, 0), (2, 1280), (3, 0), (4, 0)])
def test_each_error_of_version_6(tmp_path: Path, kind: int, mtu: int) -> None:
    query = _v6(udp(b"x" * 30, (40000, 9999))[20:], 17)
    error = _v6(struct.pack(">BBHI", kind, 0, 0, 1280) + query, 58, source=9, destination=1)
    row, _ = _read(tmp_path, query, error)
    assert (row["type"], row["mtu_bytes"], row["connection"], row["quoted_source_port"]) == (
        kind,
        mtu,
        0,
        40000,
    )
    assert (row["sender_low"], row["quoted_source_low"], row["quoted_destination_low"]) == (9, 1, 2)


def test_a_packet_never_seen_has_no_connection(tmp_path: Path) -> None:
    row, capture = _read(tmp_path, _error(3, 1, 0, tcp(SYN, 1000)[:28]))
    assert (row["connection"], row["quoted_source_port"], len(capture.connections)) == (
        NO_CONNECTION,
        40000,
        0,
    )


@pytest.mark.parametrize("size", [0, 1, 19, 20, 27])
def test_a_quotation_too_short_for_ports(tmp_path: Path, size: int) -> None:
    row, _ = _read(tmp_path, tcp(SYN, 1000), _error(3, 1, 0, tcp(SYN, 1000)[:size]))
    assert (row["connection"], row["quoted_source_port"]) == (NO_CONNECTION, 0)


def test_an_echo_is_no_error(tmp_path: Path) -> None:
    capture = decode(pcap([(0, ipv4(struct.pack(">BBHI", 8, 0, 0, 1), protocol=1))]), tmp_path)
    assert rows(capture, "icmp_errors") == []


def test_a_capture_of_nothing_but_an_error(tmp_path: Path) -> None:
    _, capture = _read(tmp_path, _error(3, 1, 0, tcp(SYN, 1000)[:28]))
    assert (len(capture.connections), len(capture.handshakes)) == (0, 1)
    detected = run_detectors(gather_facts([capture], []))
    assert [finding.severity for finding in detected.findings] == ["info"] * len(detected.findings)
