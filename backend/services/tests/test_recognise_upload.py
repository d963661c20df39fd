from __future__ import annotations

import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from backend.errors import UnknownFormat
from backend.services.recognise_upload import HEAD_BYTES, Recognised, recognise_upload

DEMO = Path(__file__).parents[2] / "demo" / "snat-race"


def zip_holding(name: str) -> bytes:
    written = BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        archive.writestr(name, "content")
    return written.getvalue()


@pytest.mark.parametrize(
    ("head", "format_name"),
    [
        (b"\xd4\xc3\xb2\xa1" + bytes(20), "pcap"),
        (b"\xa1\xb2\x3c\x4d" + bytes(20), "pcap"),
        (b"\x0a\x0d\x0d\x0a" + bytes(20), "pcapng"),
        (b"\x1f\x8b\x08\x00" + bytes(20), "gzip"),
        (b"\x28\xb5\x2f\xfd" + bytes(20), "zstd"),
        (b"\x34\xcd\xb2\xa1" + bytes(20), "pcap"),
        (b"snoop\x00\x00\x00" + bytes(20), "snoop"),
    ],
)
def test_captures_are_known_by_their_magic_number(head: bytes, format_name: str) -> None:
    recognised = recognise_upload(head)
    assert (recognised.kind, recognised.format) == ("capture", format_name)


def test_archives_are_bundles() -> None:
    assert recognise_upload(zip_holding("notes.txt")) == Recognised("bundle", "zip")
    assert recognise_upload(bytes(257) + b"ustar" + bytes(300)) == Recognised("bundle", "tar")


@pytest.mark.parametrize("file", ["conntrack-S-before.txt", "iptables-save.txt", "ip-link.txt"])
def test_texts_are_dumps(file: str) -> None:
    assert recognise_upload((DEMO / file).read_bytes()[:HEAD_BYTES]) == Recognised("dump", "text")


@pytest.mark.parametrize(
    ("head", "named"),
    [
        (zip_holding("[Content_Types].xml"), "Office document"),
        (b"%PDF-1.7\n", "PDF"),
        (b"\x89PNG\r\n\x1a\n" + bytes(30), "PNG"),
        (b"\x7fELF" + bytes(30), "program"),
        (bytes(range(256)), "unknown kind"),
        (b"text with a \x00 in it", "unknown kind"),
        (b"", "empty"),
    ],
)
def test_anything_else_is_refused_by_name(head: bytes, named: str) -> None:
    with pytest.raises(UnknownFormat, match=named):
        recognise_upload(head)


def test_a_character_cut_by_the_limit_is_still_text() -> None:
    head = ("# état: " + "é" * HEAD_BYTES).encode()[: HEAD_BYTES - 1]
    assert recognise_upload(head).kind == "dump"
