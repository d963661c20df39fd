"""What a file is, from its first 4 KiB: magic numbers and printable text, nothing is parsed."""

from __future__ import annotations

from dataclasses import dataclass

from backend.errors import UnknownFormat

HEAD_BYTES = 4096
"""How much of an upload may be looked at outside the workers."""

CAPTURE_MAGICS = (
    (b"\xa1\xb2\xc3\xd4", "pcap"),
    (b"\xd4\xc3\xb2\xa1", "pcap"),
    (b"\xa1\xb2\x3c\x4d", "pcap"),
    (b"\x4d\x3c\xb2\xa1", "pcap"),
    (b"\xa1\xb2\xcd\x34", "pcap"),
    (b"\x34\xcd\xb2\xa1", "pcap"),
    (b"\x1c\x00\x01\xab", "pcap"),
    (b"\xab\x01\x00\x1c", "pcap"),
    (b"\x1c\x00\x01\xac", "pcap"),
    (b"\xac\x01\x00\x1c", "pcap"),
    (b"\x0a\x0d\x0d\x0a", "pcapng"),
    (b"snoop\x00\x00\x00", "snoop"),
    # What is inside shows only when it is unpacked, which is the workers' business.
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\x04\x22\x4d\x18", "lz4"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"BZh", "bzip2"),
)

FOREIGN_MAGICS = (
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"\x7fELF", "a program (ELF)"),
    (b"MZ", "a program (Windows)"),
    (b"SQLite format 3", "an SQLite database"),
    (b"\xd0\xcf\x11\xe0", "an old Office document"),
    (b"7z\xbc\xaf", "a 7z archive, which is not read yet: unpack it first"),
    (b"Rar!", "a RAR archive, which is not read yet: unpack it first"),
    (b"PAR1", "a Parquet table"),
    (b"GMBU", "a Microsoft Network Monitor capture; convert it with editcap first"),
    (b"\x7fver", "an OmniPeek capture; convert it with editcap first"),
    (b"XCP\x00", "a Sniffer capture; convert it with editcap first"),
)

ZIP_MEMBER_NAME_AT = 30
"""Offset of the first member's name in a zip (APPNOTE 4.3.7)."""


@dataclass(frozen=True)
class Recognised:
    """What the first bytes say; a worker has the last word."""

    kind: str
    """capture, dump or bundle."""
    format: str
    """``text`` of every dump: which one it is shows when it is read."""


def recognise_upload(head: bytes) -> Recognised:
    """What a file that begins like this is; raises UnknownFormat with the reason when it is no evidence."""
    if not head:
        raise UnknownFormat("The file is empty. Nothing of it was stored.")
    capture = next((name for magic, name in CAPTURE_MAGICS if head.startswith(magic)), None)
    if capture is not None:
        return Recognised("capture", capture)
    bundle = _bundle(head)
    if bundle is not None:
        return Recognised("bundle", bundle)
    foreign = _foreign(head)
    if foreign is None and _is_text(head):
        return Recognised("dump", "text")
    raise UnknownFormat(
        f"This is {foreign or 'a binary file of an unknown kind'}. Stallscope reads packet captures "
        "(pcap, pcapng, snoop, also compressed), the text that conntrack, iptables-save, ip and the like print, "
        "and archives (tar, zip) of these. "
        "Nothing of it was stored."
    )


def _bundle(head: bytes) -> str | None:
    """Archives of files; a packed tar shows only when it is unpacked."""
    if head[:4] == b"PK\x03\x04" and _zip_kind(head) is None:
        return "zip"
    return "tar" if head[257:262] == b"ustar" else None


def _foreign(head: bytes) -> str | None:
    if head[:4] == b"PK\x03\x04":
        return _zip_kind(head)
    return next((words for magic, words in FOREIGN_MAGICS if head.startswith(magic)), None)


def _zip_kind(head: bytes) -> str | None:
    """The kind of document that is a zip inside, None of a plain archive."""
    name = head[ZIP_MEMBER_NAME_AT : ZIP_MEMBER_NAME_AT + 64]
    if name.startswith((b"[Content_Types].xml", b"word/", b"_rels/", b"docProps/", b"xl/", b"ppt/")):
        return "an Office document (docx, xlsx or pptx)"
    if name.startswith(b"mimetypeapplication/vnd.oasis"):
        return "an OpenDocument file"
    return None


def _is_text(head: bytes) -> bool:
    if b"\x00" in head:
        return False
    control = sum(byte < 32 and byte not in b"\t\n\r\x0b\x0c\x1b" for byte in head)
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        # The last character may be cut in two by the 4 KiB limit.
        if error.start < len(head) - 4:
            return False
    return control == 0
