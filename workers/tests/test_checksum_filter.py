"""Filters by checksum, against Wireshark's own on the same frames; and the words in the list of packets."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from scapy.compat import raw
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether

from backend.services.jump_in_packets import packets_from
from backend.services.list_packets import PacketOptions
from backend.services.select_packets import select_by_filter
from backend.storage.store import Store
from workers.decode.tests.capture_bytes import pcap
from workers.tests.stored_investigation import stored_investigation

LINK = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02")
V4: Final[dict[str, Any]] = {"src": "10.0.0.1", "dst": "10.0.0.2"}
V6: Final[dict[str, Any]] = {"src": "fd00::1", "dst": "fd00::2"}
PARTIAL = 0x1403 + 6 + 20 + 3
"""Of the pseudo header of 20 bytes and three of payload between the addresses of V4."""
FRAMES = (
    IP(**V4) / TCP() / b"abc",
    IP(**V4) / TCP(chksum=1) / b"abc",
    IP(**V4, chksum=1) / TCP() / b"abc",
    IP(**V4) / UDP(dport=9) / b"abc",
    IP(**V4) / UDP(dport=9, chksum=0) / b"abc",
    IP(**V4) / UDP(dport=9, chksum=1) / b"abc",
    IPv6(**V6) / UDP(dport=9, chksum=0) / b"abc",
    IPv6(**V6) / TCP(chksum=1) / b"abc",
    IP(**V4, flags="MF") / TCP() / b"12345678",
)
SAME_AS_WIRESHARK = (
    'ip.checksum.status == "Good"',
    'ip.checksum.status == "Bad"',
    'tcp.checksum.status == "Good"',
    'tcp.checksum.status == "Bad" && ip',
    'tcp.checksum.status == "Bad" || udp.checksum.status == "Bad"',
    'udp.checksum.status in {"Good", "Illegal"}',
    'udp.checksum.status == "Not present"',
    'udp.checksum.status != "Good"',
    'tcp.checksum.status == "Unverified"',
)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, str, Path]]:
    folder = tmp_path_factory.mktemp("sums")
    path = folder / "sums.pcap"
    offload = IP(**V4) / TCP(chksum=PARTIAL) / b"abc"
    path.write_bytes(pcap([(n, raw(LINK / each)) for n, each in enumerate((*FRAMES, offload))], link_type=1))
    store, investigation = stored_investigation(folder, [path])
    yield store, investigation, path
    store.close()


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
@pytest.mark.parametrize("text", SAME_AS_WIRESHARK)
def test_a_filter_by_checksum_finds_what_wireshark_finds(kept: tuple[Store, str, Path], text: str) -> None:
    store, investigation, path = kept
    command = ["tshark", "-n", "-r", str(path), "-Y", f"({text}) && frame.number <= {len(FRAMES)}"]
    for preference in ("tcp.check_checksum", "udp.check_checksum", "ip.check_checksum"):
        command += ["-o", f"{preference}:TRUE"]
    said = subprocess.run(
        [*command, "-o", "ip.defragment:FALSE", "-T", "fields", "-e", "frame.number"],
        capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    assert said
    found = select_by_filter(store, investigation, PacketOptions(filter=text)).frames.get(path.name, [])
    assert [frame for frame in found if frame <= len(FRAMES)] == [int(number) for number in said]


def test_what_is_left_to_the_network_card_is_not_wrong(kept: tuple[Store, str, Path]) -> None:
    store, investigation, path = kept
    unverified = select_by_filter(
        store, investigation, PacketOptions(filter='tcp.checksum.status == "Unverified"')
    )
    assert unverified.frames[path.name] == [9, 10]


def test_the_list_names_wrong_checksums(kept: tuple[Store, str, Path]) -> None:
    page = packets_from(*kept[:2], PacketOptions(), offset=0, limit=20)
    wrong = {row.frame: row.info for row in page.items if "checksum" in row.info}
    assert list(wrong) == [2, 3, 6, 8]
    assert "wrong header checksum" in wrong[3]
