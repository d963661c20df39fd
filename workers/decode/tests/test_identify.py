"""A file is known by its content."""

import gzip
from pathlib import Path

import pytest

from workers.decode.identify import identify

SAMPLES = Path(__file__).parent / "samples"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("big-endian.pcap", "pcap"),
        ("nanosecond.pcap", "pcap"),
        ("plain.pcapng", "pcapng"),
        ("plain.pcap.gz", "pcap"),
    ],
)
def test_captures_are_recognised(name: str, expected: str) -> None:
    identified = identify((SAMPLES / name).read_bytes()[:4096])
    assert (identified.kind, identified.format) == ("capture", expected)
    assert identified.compression == ("gzip" if name.endswith(".gz") else "")


@pytest.mark.parametrize(
    ("head", "reason"),
    [
        (b"", "empty file"),
        (b"PK\x03\x04" + bytes(26) + b"word/document.xml", "a Word document (zip)"),
        (b"PK\x03\x04" + bytes(26) + b"notes.txt", "a zip archive"),
        (b"%PDF-1.7\n%\xe2\xe3", "a PDF document"),
        (b"\x89PNG\r\n\x1a\n" + bytes(20), "a PNG image"),
        (b"\x7fELF" + bytes(60), "an ELF program"),
        (bytes(range(256)), "binary data of no known format"),
        (gzip.compress(b"", mtime=0), "a gzip file with nothing in it"),
        (b"\x1f\x8b\xff\xff\xff", "a damaged gzip file"),
        (gzip.compress(b"%PDF-1.7", mtime=0), "a PDF document"),
    ],
)
def test_what_cannot_be_read_is_named(head: bytes, reason: str) -> None:
    identified = identify(head)
    assert (identified.kind, identified.reason) == ("unknown", reason)


@pytest.mark.parametrize(
    "text", ["cpu=0 found=1\n", "tcp 6 src=10.0.0.1\r\n", "größer\n", "\x1b[1mbold\x1b[0m\n"]
)
def test_text_is_a_candidate_for_a_dump(text: str) -> None:
    assert identify(text.encode()).kind == "text"
