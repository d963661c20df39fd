"""ClientHello and alerts."""

import struct
from pathlib import Path

import pytest

from backend.forensics.messages import ALERT, HELLO
from workers.decode.tests.conversation import Conversation, rows


def hello(name: str = "a.example", *, padding: int = 0) -> bytes:
    """A TLS record with a ClientHello."""
    server = struct.pack(">HBH", len(name) + 3, 0, len(name)) + name.encode()
    protocols = b"\x02h2\x08http/1.1"
    extensions = [
        (0x0A0A, b""), (21, bytes(padding)), (0, server),
        (16, struct.pack(">H", len(protocols)) + protocols), (43, b"\x06\x0a\x0a\x03\x04\x03\x03"),
    ]  # fmt: skip
    listed = b"".join(struct.pack(">HH", kind, len(data)) + data for kind, data in extensions)
    body = b"\x03\x03" + bytes(32) + b"\x20" + bytes(32) + b"\x00\x02\x13\x01\x01\x00"
    body += struct.pack(">H", len(listed)) + listed
    shaken = b"\x01" + len(body).to_bytes(3, "big") + body
    return b"\x16\x03\x01" + struct.pack(">H", len(shaken)) + shaken


def test_a_client_hello(tmp_path: Path) -> None:
    talk = (
        Conversation()
        .ask(hello())
        .reply(b"\x16\x03\x03\x00\x28\x02" + bytes(39))
        .ask(b"GET / HTTP/1.1\r\n\r\n")
    )
    [row] = rows(talk.without(6).capture(tmp_path), "tls")
    assert (row["kind"], row["server_name"], row["alpn"], row["version"]) == (
        HELLO,
        "a.example",
        "h2,http/1.1",
        0x0304,
    )
    assert (row["frame"], row["from_client"]) == (4, 1)


@pytest.mark.parametrize("at", [1, 2, 5, 6, 11, 44, 120, 1500])
def test_a_hello_over_several_segments(tmp_path: Path, at: int) -> None:
    data = hello(padding=1700)
    [row] = rows(Conversation().ask(data, [at, 10, len(data) - at - 10]).capture(tmp_path), "tls")
    assert (row["server_name"], row["alpn"], row["frame"]) == ("a.example", "h2,http/1.1", 4)


def test_a_hello_cut_by_the_snap_length(tmp_path: Path) -> None:
    data = hello()
    [row] = rows(
        Conversation().ask(data).capture(tmp_path, snap_bytes=52 + data.index(b"a.example") + 9), "tls"
    )
    assert (row["server_name"], row["alpn"]) == ("a.example", "")


def test_an_alert_in_the_clear(tmp_path: Path) -> None:
    talk = Conversation().ask(hello()).reply(b"\x15\x03\x03\x00\x02\x02\x28")
    found = rows(talk.capture(tmp_path), "tls")
    assert [(row["kind"], row["alert_level"], row["alert_code"], row["from_client"]) for row in found] == [
        (HELLO, 0, 0, 1),
        (ALERT, 2, 40, 0),
    ]


@pytest.mark.parametrize("place", [43, 76, 82, 84, 90])
def test_lengths_that_lie(tmp_path: Path, place: int) -> None:
    data = bytearray(hello())
    data[place] = 0xFF
    found = rows(Conversation().ask(bytes(data)).capture(tmp_path), "tls")
    assert [row["kind"] for row in found] == [HELLO]
    assert found[0]["server_name"] in ("", "a.example")
