"""DNS messages over UDP and TCP, and what is none."""

import struct
from pathlib import Path
from typing import Any

import pytest

from workers.decode.tests.capture_bytes import CLIENT, MS, SERVER, decode, ipv4, pcap
from workers.decode.tests.conversation import Conversation, rows

NAME = b"\x03WWW\x07example\x00"


def message(
    *,
    number: int = 7,
    flags: int = 0x0100,
    name: bytes = NAME,
    kind: int = 1,
    answers: tuple[bytes, ...] = (),
) -> bytes:
    """A DNS message with one question."""
    head = struct.pack(">HHHHHH", number, flags, 1, len(answers), 0, 0)
    return head + name + struct.pack(">HH", kind, 1) + b"".join(answers)


def record(kind: int, data: bytes, name: bytes = b"\xc0\x0c") -> bytes:
    """A resource record with a TTL of 60 s."""
    return name + struct.pack(">HHIH", kind, 1, 60, len(data)) + data


def udp(payload: bytes, ports: tuple[int, int] = (40000, 53)) -> bytes:
    """A UDP packet in IPv4; back to the client when it comes from port 53."""
    datagram = struct.pack(">HHHH", *ports, 8 + len(payload), 0) + payload
    ends = (SERVER, CLIENT) if ports[0] == 53 else (CLIENT, SERVER)
    return ipv4(datagram, protocol=17, source=ends[0], destination=ends[1])


def _read(
    folder: Path, *packets: bytes, snap_bytes: int = 65535
) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    timed = [(n * MS, packet) for n, packet in enumerate(packets)]
    capture = decode(pcap(timed, snap_bytes=snap_bytes), folder)
    return rows(capture, "dns"), capture.warnings


def test_a_query_and_its_answer(tmp_path: Path) -> None:
    alias = record(5, b"\x01a\xc0\x10")
    answer = message(
        flags=0x8580, answers=(alias, record(1, b"\x0a\x00\x00\x09"), record(1, b"\x0a\x00\x00\x0a"))
    )
    [query, back], _ = _read(tmp_path, udp(message()), udp(answer, (53, 40000)))
    assert (query["name"], query["type"], query["id"], query["header"]) == ("www.example", 1, 7, 0x0100)
    assert (query["answers"], query["address_version"], query["over_tcp"]) == (0, 0, 0)
    assert (back["answers"], back["address_version"], back["address_ttl_s"]) == (3, 4, 60)
    assert back["address_low"] == 0xFFFF0A000009
    assert (query["frame"], back["frame"], query["connection"]) == (1, 2, back["connection"])


def test_an_ipv6_answer_and_a_refusal(tmp_path: Path) -> None:
    address = bytes.fromhex("fd00000000000000000000000000000a")
    good = message(flags=0x8180, kind=28, answers=(record(28, address),))
    found, _ = _read(tmp_path, udp(good, (53, 40000)), udp(message(flags=0x8383), (53, 40000)))
    assert (found[0]["address_version"], found[0]["address_high"], found[0]["address_low"]) == (
        6,
        0xFD << 56,
        10,
    )
    assert (found[1]["rcode"], found[1]["header"] & 0x0200) == (3, 0x0200)


def test_strict_form_stands_for_the_port(tmp_path: Path) -> None:
    [row], warnings = _read(tmp_path, udp(message(), (40000, 1053)))
    assert (row["name"], warnings) == ("www.example", ())
    for payload in (
        message() + b"x",
        message()[:-1],
        message(flags=0x0180 | 0x0040),
        message(name=b"\x40" + bytes(64)),
    ):
        assert _read(tmp_path, udp(payload, (40000, 1053)))[0] == []


@pytest.mark.parametrize("port", [5353, 5355, 137])
def test_other_uses_of_the_format_are_left_out(tmp_path: Path, port: int) -> None:
    assert _read(tmp_path, udp(message(), (40000, port)))[0] == []


def test_what_is_malformed_on_the_port_is_counted(tmp_path: Path) -> None:
    found, warnings = _read(tmp_path, udp(b"x" * 40))
    assert found == []
    assert warnings == ("1 messages on port 53 are not well-formed DNS.",)


@pytest.mark.parametrize(
    "name",
    [
        b"\xc0\x0c",  # points at itself
        b"\x01a\xc0\x0c",  # a loop
        b"\xc0\xff",  # forward
        b"\xc0" * 40,
        b"\x3f" + b"a" * 63 + b"\xc0\x0c",
        (b"\x3f" + b"a" * 63) * 5 + b"\x00",  # longer than 255
        b"\x80abc\x00",
    ],
)
def test_hostile_names(tmp_path: Path, name: bytes) -> None:
    assert _read(tmp_path, udp(message(name=name)))[0] == []


def test_a_name_of_255_bytes_is_whole(tmp_path: Path) -> None:
    name = (b"\x3f" + b"a" * 63) * 3 + b"\x3d" + b"b" * 61 + b"\x00"
    [row], _ = _read(tmp_path, udp(message(name=name)))
    assert (len(row["name"]), len(name)) == (253, 255)


def test_a_message_cut_by_the_snap_length(tmp_path: Path) -> None:
    answer = message(flags=0x8180, answers=(record(1, b"\x0a\x00\x00\x09"),))
    [row], warnings = _read(tmp_path, udp(answer, (53, 40000)), snap_bytes=28 + 12 + 13 + 4 + 5)
    assert (row["cut"], row["name"], row["answers"], row["address_version"]) == (1, "www.example", 1, 0)
    assert (row["bytes"], warnings) == (len(answer), ())


@pytest.mark.parametrize("sizes", [None, [1], [2], [1, 1], [20], [31, 2]])
def test_over_tcp_in_any_segments(tmp_path: Path, sizes: list[int] | None) -> None:
    import workers.decode.tests.capture_bytes as module

    stream = b"".join(struct.pack(">H", len(m)) + m for m in (message(number=1), message(number=2)))
    talk = Conversation()
    for size in sizes or []:
        talk.ask(stream[:size])
        stream = stream[size:]
    packets = [(when, _to_port_53(packet)) for when, packet in talk.ask(stream).packets]
    found = rows(decode(module.pcap(packets), tmp_path), "dns")
    assert [(row["id"], row["over_tcp"], row["name"]) for row in found] == [
        (1, 1, "www.example"),
        (2, 1, "www.example"),
    ]


def _to_port_53(packet: bytes) -> bytes:
    """The same packet with port 53 where it has port 80."""
    ports = b"".join(p if p != b"\x00\x50" else b"\x00\x35" for p in (packet[20:22], packet[22:24]))
    return packet[:20] + ports + packet[24:]
