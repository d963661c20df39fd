"""A file is known by its content."""

import io
import struct
import tarfile
import zipfile
from pathlib import Path

import pytest

from workers.decode.identify import Identified, identify, identify_file
from workers.decode.tests.packed_bytes import PACKERS

ERF = "an Endace ERF capture; convert it: editcap -F pcapng IN OUT"
SAMPLES = Path(__file__).parent / "samples"


def identified(data: bytes, folder: Path) -> Identified:
    path = folder / "nameless"
    path.write_bytes(data)
    return identify_file(path)


def zip_holding(name: str) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        archive.writestr(name, "content")
    return written.getvalue()


def tar_holding(name: str, form: int) -> bytes:
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w", format=form) as archive:
        archive.addfile(tarfile.TarInfo(name))
    return written.getvalue()


def erf(*seconds: int) -> bytes:
    records = (struct.pack("<QBBHHH", s << 32, 2, 4, 0, 0, 60) for s in seconds)
    return b"".join(record[:10] + struct.pack(">H", 80) + record[12:] + bytes(64) for record in records)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("big-endian.pcap", "pcap"), ("nanosecond.pcap", "pcap"), ("plain.pcapng", "pcapng")],
)
def test_captures_are_recognised_packed_or_not(name: str, expected: str, tmp_path: Path) -> None:
    content = (SAMPLES / name).read_bytes()
    assert identified(content, tmp_path) == Identified("capture", expected)
    for compression, pack in PACKERS.items():
        assert identified(pack(content), tmp_path) == Identified("capture", expected, compression)


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_bundles_are_recognised(form: int, tmp_path: Path) -> None:
    tar = tar_holding("größe" * 40 + ".pcap" if form != tarfile.USTAR_FORMAT else "a.pcap", form)
    assert identified(tar, tmp_path) == Identified("bundle", "tar")
    assert identified(PACKERS["gzip"](tar), tmp_path) == Identified("bundle", "tar", "gzip")
    assert identified(zip_holding("notes.txt"), tmp_path) == Identified("bundle", "zip")


def test_a_tar_of_before_1988_is_known_by_its_checksum() -> None:
    old = bytearray(tar_holding("a.pcap", tarfile.USTAR_FORMAT))
    old[257:265] = bytes(8)
    old[148:156] = b"%06o\x00 " % (sum(old[:148]) + 256 + sum(old[156:512]))
    assert identify(bytes(old)).format == "tar"
    old[0] ^= 1
    assert identify(bytes(old)).format == ""


@pytest.mark.parametrize(
    ("head", "reason"),
    [
        (b"", "an empty file"),
        (zip_holding("word/document.xml"), "a Word document"),
        (zip_holding("[Content_Types].xml"), "an Office document"),
        (b"PK\x05\x06" + bytes(18), "an empty zip archive"),
        (b"%PDF-1.7\n%\xe2\xe3", "a PDF document"),
        (b"\x89PNG\r\n\x1a\n" + bytes(20), "a PNG image"),
        (b"\x7fELF" + bytes(60), "an ELF program or core file"),
        (b"GMBU" + bytes(60), "a Microsoft Network Monitor 2 capture; convert it: editcap -F pcapng IN OUT"),
        (erf(1_700_000_000, 1_700_000_001, 1_700_000_001), ERF),
        (erf(1_700_000_000, 1_700_000_001, 1_600_000_001), "binary data of no known format"),
        (bytes(range(256)), "binary data of no known format"),
        (PACKERS["gzip"](b""), "a gzip file with nothing in it"),
        (b"\x1f\x8b\xff\xff\xff", "a gzip file that cannot be read (the gzip data is damaged)"),
        (PACKERS["xz"](b"%PDF-1.7"), "a PDF document"),
        (PACKERS["gzip"](PACKERS["zstd"](b"x")), "a zstd file inside another compression"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_named(head: bytes, reason: str, tmp_path: Path) -> None:
    found = identified(head, tmp_path)
    assert (found.kind, found.reason) == ("unknown", reason)


@pytest.mark.parametrize(
    "text", ["cpu=0 found=1\n", "tcp 6 src=10.0.0.1\r\n", "größer\n", "\x1b[1mbold\x1b[0m\n"]
)
def test_text_is_a_candidate_for_a_dump(text: str) -> None:
    assert identify(text.encode()).kind == "text"
