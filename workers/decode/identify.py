"""What a file is, by its first bytes and never by its name."""

from __future__ import annotations

import codecs
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from workers.decode.foreign_formats import name_foreign
from workers.decode.open_source import open_source
from workers.decode.pcap_variants import PCAP_MAGICS
from workers.decode.unpacking import COMPRESSIONS, compression_of

HEAD_BYTES: Final = 4096
"""How much of a file `identify` wants to see."""

Kind = Literal["capture", "text", "bundle", "unknown"]

PCAPNG_MAGIC: Final = b"\x0a\x0d\x0d\x0a"
SNOOP_MAGIC: Final = b"snoop\x00\x00\x00"
_PCAPNG_ORDERS: Final = (b"\x4d\x3c\x2b\x1a", b"\x1a\x2b\x3c\x4d")
_TAR_BLOCK: Final = 512
_ZIP_MEMBER: Final = b"PK\x03\x04"
_ZIP_NAME_AT: Final = 30
_DOCUMENTS: Final = (
    ((b"[Content_Types].xml", b"_rels/", b"docProps/"), "an Office document"),
    ((b"word/",), "a Word document"),
    ((b"xl/",), "an Excel workbook"),
    ((b"ppt/",), "a PowerPoint presentation"),
    ((b"META-INF/",), "a Java archive"),
    ((b"mimetypeapplication/vnd.oasis",), "an OpenDocument file"),
)
"""Documents that are zip archives inside, by the name of their first member (and its content, unpacked)."""


@dataclass(frozen=True)
class Identified:
    """`kind` decides what reads the file; `format` is its name in reports (``pcap``, ``pcapng``, ``snoop``,
    ``text``, ``tar``, ``zip``, or empty); `compression` is a key of COMPRESSIONS, or empty; `reason` says in
    words what an unknown file is."""

    kind: Kind
    format: str
    compression: str = ""
    reason: str = ""


def identify_file(path: Path) -> Identified:
    """What a file is. Looks inside one compression, whatever it is. Raises OSError."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    compression = compression_of(head)
    if not compression:
        return identify(head)
    with open_source(path, compression) as source:
        buffer = bytearray(HEAD_BYTES)
        inner = bytes(buffer[: source.read_into(memoryview(buffer))])
        damage = source.damage
    if not inner:
        what = f"a {compression} file " + (
            f"that cannot be read ({damage})" if damage else "with nothing in it"
        )
        return _unknown(what, compression)
    return replace(identify(inner), compression=compression)


def identify(head: bytes) -> Identified:
    """What uncompressed data is, from its first 4 KiB (an empty `head` means an empty file)."""
    if not head:
        return _unknown("an empty file")
    capture = _capture_format(head)
    if capture:
        return Identified("capture", capture)
    bundle = _bundle_format(head)
    if bundle:
        return Identified("bundle", bundle)
    foreign = _document(head) or name_foreign(head)
    if foreign:
        return _unknown(foreign)
    within = compression_of(head)
    if within:
        return _unknown(f"a {within} file inside another compression")
    if _is_text(head):
        return Identified("text", "text")
    return _unknown("binary data of no known format")


def _unknown(reason: str, compression: str = "") -> Identified:
    return Identified("unknown", "", compression, reason)


def _capture_format(head: bytes) -> str:
    if head[:4] in PCAP_MAGICS:
        return "pcap"
    if head[:4] == PCAPNG_MAGIC and head[8:12] in _PCAPNG_ORDERS:
        return "pcapng"
    return "snoop" if head.startswith(SNOOP_MAGIC) else ""


def _bundle_format(head: bytes) -> str:
    if head.startswith(_ZIP_MEMBER) and not _document(head):
        return "zip"
    return "tar" if _is_tar(head) else ""


def _is_tar(head: bytes) -> bool:
    """By the header's checksum, which old tars without the word ``ustar`` have, too."""
    if len(head) < _TAR_BLOCK or head[0] == 0:
        return False
    stated = head[148:156].strip(b" \x00")
    if not stated or not all(byte in b"01234567" for byte in stated):
        return False
    counted = sum(head[:148]) + 8 * ord(" ") + sum(head[156:_TAR_BLOCK])
    return int(stated, 8) == counted


def _document(head: bytes) -> str:
    if not head.startswith(_ZIP_MEMBER):
        return ""
    name = head[_ZIP_NAME_AT : _ZIP_NAME_AT + 64]
    return next((words for marks, words in _DOCUMENTS if name.startswith(marks)), "")


def _is_text(head: bytes) -> bool:
    """UTF-8 or Latin text without control characters other than white space, BOM and escape sequences."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
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


__all__ = ["COMPRESSIONS", "HEAD_BYTES", "Identified", "identify", "identify_file"]
