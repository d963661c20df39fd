"""What a file is, by its first bytes and never by its name."""

from __future__ import annotations

import codecs
import zlib
from dataclasses import dataclass
from typing import Final, Literal

HEAD_BYTES: Final = 4096
"""How much of a file `identify` wants to see."""

Kind = Literal["capture", "text", "unknown"]

PCAP_MAGICS: Final = {
    b"\xd4\xc3\xb2\xa1": (False, 1000),
    b"\xa1\xb2\xc3\xd4": (True, 1000),
    b"\x4d\x3c\xb2\xa1": (False, 1),
    b"\xa1\xb2\x3c\x4d": (True, 1),
}
"""Magic number of a classic pcap file -> (big-endian, nanoseconds per unit of its time stamps' fraction)."""

PCAPNG_MAGIC: Final = b"\x0a\x0d\x0d\x0a"
_PCAPNG_ORDERS: Final = (b"\x4d\x3c\x2b\x1a", b"\x1a\x2b\x3c\x4d")
_GZIP: Final = b"\x1f\x8b"

_SIGNATURES: Final = (
    (b"PK\x03\x04", "a zip archive"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"%PDF-", "a PDF document"),
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"\x7fELF", "an ELF program"),
    (b"MZ", "a Windows program"),
    (b"\xd0\xcf\x11\xe0", "an old Office document"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"\x04\x22\x4d\x18", "an lz4 archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"BZh", "a bzip2 archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!", "a RAR archive"),
    (b"SQLite format 3\x00", "a SQLite database"),
    (b"PAR1", "a Parquet file"),
    (b"snoop\x00\x00\x00", "a Solaris snoop capture"),
    (b"GMBU", "a Microsoft Network Monitor capture"),
    (b"\x34\xcd\xb2\xa1", "a capture in the modified pcap format of Linux 2.2"),
)
_ZIP_MEMBERS: Final = (
    (b"word/", "a Word document (zip)"),
    (b"xl/", "an Excel workbook (zip)"),
    (b"ppt/", "a PowerPoint presentation (zip)"),
    (b"META-INF/", "a Java archive (zip)"),
    (b"mimetypeapplication/vnd.oasis", "an OpenDocument file (zip)"),
)


@dataclass(frozen=True)
class Identified:
    """`kind` decides what reads the file; `format` is its name in reports (``pcap``, ``pcapng``, ``text``, or
    empty); `compression` is ``gzip`` or empty; `reason` says in words what an unknown file is."""

    kind: Kind
    format: str
    compression: str = ""
    reason: str = ""


def gzip_head(head: bytes) -> bytes | None:
    """The first unpacked bytes of a gzip file, None when it is damaged from the start."""
    try:
        return zlib.decompressobj(wbits=31).decompress(head, HEAD_BYTES)
    except zlib.error:
        return None


def _is_text(head: bytes) -> bool:
    """UTF-8 or Latin text without control characters other than white space, BOM and escape sequences."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    if b"\x00" in head:
        return False
    control = sum(1 for byte in head if byte < 32 and byte not in b"\t\n\r\f\v\x1b\x08")
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)  # a character may be cut at the end
    except UnicodeDecodeError:
        high = sum(1 for byte in head if byte >= 0x80)
        return control == 0 and high * 10 < len(head)
    return control * 50 <= len(head)


def _unknown(reason: str, compression: str = "") -> Identified:
    return Identified("unknown", "", compression, reason)


def _zip_reason(head: bytes) -> str:
    return next((words for mark, words in _ZIP_MEMBERS if mark in head), "a zip archive")


def _capture_format(head: bytes) -> str:
    if head[:4] in PCAP_MAGICS:
        return "pcap"
    if head[:4] == PCAPNG_MAGIC and head[8:12] in _PCAPNG_ORDERS:
        return "pcapng"
    return ""


def _identify_plain(head: bytes, compression: str) -> Identified:
    capture = _capture_format(head)
    if capture:
        return Identified("capture", capture, compression)
    for signature, words in _SIGNATURES:
        if head.startswith(signature):
            return _unknown(_zip_reason(head) if words == "a zip archive" else words, compression)
    if head[257:262] == b"ustar":
        return _unknown("a tar archive", compression)
    if _is_text(head):
        return Identified("text", "text", compression)
    return _unknown("binary data of no known format", compression)


def identify(head: bytes) -> Identified:
    """What a file is, from its first 4 KiB (an empty `head` means an empty file). Looks inside gzip."""
    if not head:
        return _unknown("empty file")
    if not head.startswith(_GZIP):
        return _identify_plain(head, "")
    inner = gzip_head(head)
    if inner is None:
        return _unknown("a damaged gzip file", "gzip")
    if not inner:
        return _unknown("a gzip file with nothing in it", "gzip")
    return _identify_plain(inner, "gzip")
