"""What pcapng says beside packets: interfaces, drops, comments, secrets, blocks of strangers."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path

import pytest

from workers.decode.tests.capture_bytes import block, decode, enhanced, interface, option, section, tcp

PACKET = tcp(2)


def with_options(order: str, *options: bytes) -> bytes:
    """An enhanced packet block with options."""
    size = len(PACKET)
    body = struct.pack(order + "IIIII", 0, 0, 1, size, size) + PACKET + bytes(-size % 4)
    return block(6, body + b"".join(options) + option(0, b"", order), order)


@pytest.mark.parametrize("order", ["<", ">"])
def test_what_an_interface_says_of_itself(order: str, tmp_path: Path) -> None:
    options = option(3, b"uplink to the rack\0", order) + option(11, b"\0tcp port 80", order)
    data = section(order) + interface(order=order, options=options + option(10, bytes(4), order))
    point = decode(data + enhanced(0, 1, PACKET, order), tmp_path).vantage_points[0]
    assert (point.name, point.capture_filter) == ("uplink to the rack", "tcp port 80")
    assert point.snap_length == 262144


def test_a_name_goes_before_a_description_and_a_filter_in_code_is_left_out(tmp_path: Path) -> None:
    options = option(3, b"uplink") + option(11, b"\1" + bytes(8))
    point = decode(section() + interface("eth0", options=options), tmp_path).vantage_points[0]
    assert (point.name, point.capture_filter) == ("eth0", "")


@pytest.mark.parametrize("order", ["<", ">"])
def test_drops_of_interface_and_system_add_up_and_the_latest_count(order: str, tmp_path: Path) -> None:
    def drops(interface_drops: int, system_drops: int) -> bytes:
        values = [(5, interface_drops), (7, system_drops), (4, 99)]
        told = b"".join(option(code, struct.pack(order + "Q", value), order) for code, value in values)
        return block(5, struct.pack(order + "III", 0, 0, 0) + told, order)

    data = (
        section(order) + interface(order=order) + drops(1, 1) + enhanced(0, 1, PACKET, order) + drops(40, 2)
    )
    assert decode(data, tmp_path).vantage_points[0].dropped_by_capture == 42


@pytest.mark.parametrize("order", ["<", ">"])
def test_drops_noted_with_packets_count_where_no_statistics_do(order: str, tmp_path: Path) -> None:
    noted = with_options(order, option(4, struct.pack(order + "Q", 3), order))
    start = section(order) + interface(order=order)
    assert decode(start + noted + noted, tmp_path).vantage_points[0].dropped_by_capture == 6
    assert decode(start + with_options(order), tmp_path).vantage_points[0].dropped_by_capture is None
    statistics = block(
        5, struct.pack(order + "III", 0, 0, 0) + option(5, struct.pack(order + "Q", 5), order), order
    )
    assert decode(start + noted + statistics, tmp_path).vantage_points[0].dropped_by_capture == 5


def test_drops_in_obsolete_packet_blocks(tmp_path: Path) -> None:
    def obsolete(drops: int) -> bytes:
        return block(2, struct.pack("<HHIIII", 0, drops, 0, 1, len(PACKET), len(PACKET)) + PACKET)

    start = section() + interface()
    assert decode(start + obsolete(0xFFFF), tmp_path).vantage_points[0].dropped_by_capture is None
    assert decode(start + obsolete(0xFFFE), tmp_path).vantage_points[0].dropped_by_capture == 0xFFFE


def test_comments_are_counted(tmp_path: Path) -> None:
    comment = option(1, b"look here")
    data = section() + interface(options=comment) + with_options("<", comment, comment)
    data += section() + interface() + with_options("<", comment)
    # Two sections of capture_bytes carry one each.
    assert decode(data, tmp_path).warnings == (
        "The capture holds 6 comments, which were not read; Wireshark shows comments.",
    )


def test_secrets_and_strange_blocks_are_skipped_and_counted(tmp_path: Path) -> None:
    secret = b"CLIENT_RANDOM 00aa 11bb"
    secrets = block(10, struct.pack("<II", 0x544C534B, len(secret)) + secret)
    names = block(4, struct.pack("<HH", 1, 9) + b"\x0a\0\0\1host\0" + bytes(7))
    data = section() + interface() + secrets + names + block(0x777, b"abcd") + block(0x777, b"") + secrets
    capture = decode(data + enhanced(0, 1, PACKET), tmp_path, table=True)
    assert capture.warnings[:2] == (
        "2 blocks skipped: decryption secrets (nothing of them is kept).",
        "2 blocks skipped: the unknown type 0x00000777.",
    )
    assert len(capture.warnings) == 3
    assert (capture.packets, capture.error) == (1, None)
    assert b"CLIENT_RANDOM" not in repr(capture).encode() + (tmp_path / "packets.parquet").read_bytes()


FRAMES = {
    "custom": block(0xBAD, struct.pack("<I", 32473) + b"abcd"),
    "journal": block(9, b"__REALTIME_TIMESTAMP=1700000000000000\nMESSAGE=hi\n"),
    "sysdig": block(0x204, struct.pack("<HQQIH", 0, 10**18, 1, 26, 2) + bytes(8)),
    "unknown": block(0x777, b"abcd"),
    "names": block(4, bytes(8)),
}


@pytest.mark.parametrize("name", sorted(FRAMES))
def test_frame_numbers_are_those_of_wireshark(name: str, tshark: str, tmp_path: Path) -> None:
    data = section() + interface() + enhanced(0, 1, PACKET) + FRAMES[name] + enhanced(0, 2, PACKET)
    capture = decode(data, tmp_path, "x.pcapng")
    arguments = [
        tshark,
        "-n",
        "-r",
        str(tmp_path / "x.pcapng"),
        "-Y",
        "tcp",
        "-T",
        "fields",
        "-e",
        "frame.number",
    ]
    shown = subprocess.run(arguments, capture_output=True, text=True, check=True).stdout.split()
    assert [str(frame) for frame in capture.handshakes["frame"]] == shown
    assert capture.packets == 2


def test_an_offset_beyond_all_clocks_leaves_no_time(tmp_path: Path) -> None:
    options = option(14, struct.pack("<q", -(1 << 62)))
    capture = decode(section() + interface(options=options) + enhanced(0, 7, PACKET), tmp_path)
    assert capture.times.untimed == 1
    assert capture.first_ns == 0


@pytest.mark.parametrize("exponent", [0, 3, 6, 9, 12, 15, 18, 19])
def test_decimal_resolutions(exponent: int, tmp_path: Path) -> None:
    ticks = 5 * 10 ** min(exponent, 18) + (10**exponent // 2 if exponent <= 18 else 0)
    data = section() + interface(options=option(9, bytes([exponent]))) + enhanced(0, ticks, PACKET)
    expected = 5 * 10**9 + (5 * 10**8 if 0 < exponent <= 18 else 0)
    assert decode(data, tmp_path).first_ns == (expected if exponent <= 18 else 5 * 10**8)


@pytest.mark.parametrize("exponent", [0, 1, 10, 20, 30, 31, 32, 40, 60])
def test_binary_resolutions(exponent: int, tmp_path: Path) -> None:
    data = section() + interface(options=option(9, bytes([0x80 | exponent])))
    ticks = 3 << exponent | (1 << exponent >> 1)
    capture = decode(data + enhanced(0, ticks, PACKET), tmp_path)
    assert capture.first_ns == 3 * 10**9 + (5 * 10**8 if exponent else 0)


@pytest.mark.parametrize(
    ("names", "program", "machines"),
    [
        (["eth0", "eth1"], "Dumpcap (Wireshark) 4.2.2", [0, 0]),
        (["eth0", "ens5"], "Mergecap (Wireshark) 4.2.2", [0, 1]),
        (["eth0", "eth0"], "Wireshark 4.2.2", [0, 1]),
        (["", ""], "", [0, 1]),
        (["eth0", "eth1", "", "ens5"], "", [0, 0, 1, 0]),
    ],
)
def test_interfaces_of_one_machine(
    names: list[str], program: str, machines: list[int], tmp_path: Path
) -> None:
    """Mergecap copies the interfaces of several files into one, without names where those were pcap."""
    head = struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1) + option(4, program.encode())
    data = block(0x0A0D0D0A, head) + b"".join(map(interface, names))
    data += b"".join(enhanced(n, n, PACKET) for n in range(len(names)))
    assert [p.machine for p in decode(data, tmp_path).vantage_points] == machines


def test_sections_are_of_machines_of_their_own(tmp_path: Path) -> None:
    """Two pcapng files, one behind the other."""
    one = section() + interface("eth0") + enhanced(0, 1, PACKET)
    assert [p.machine for p in decode(one + one, tmp_path).vantage_points] == [0, 1]
