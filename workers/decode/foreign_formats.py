"""Names of the formats that are not read, so that a refusal says what the file is and what would help."""

from __future__ import annotations

from typing import Final

_CONVERT: Final = "; convert it: editcap -F pcapng IN OUT"

_SIGNATURES: Final = (
    # Captures that Wireshark reads and this program does not.
    (b"GMBU", f"a Microsoft Network Monitor 2 capture{_CONVERT}"),
    (b"RTSS", f"a Microsoft Network Monitor 1 capture{_CONVERT}"),
    (b"XCP\x00", f"a NetXray or Sniffer for Windows capture{_CONVERT}"),
    (b"TRSNIFF data    \x1a", f"a Sniffer for DOS capture{_CONVERT}"),
    (b"\x05VNF", f"a Visual Networks capture{_CONVERT}"),
    (b"ObserverPktBuffe", f"a Network Instruments Observer capture{_CONVERT}"),
    (b"\x7fver", f"an EtherPeek or OmniPeek capture{_CONVERT}"),
    (b"iptrace ", f"an AIX iptrace capture{_CONVERT}"),
    (b"btsnoop\x00", "a Bluetooth capture (btsnoop)"),
    (b"LOGG", "a CAN bus log (BLF)"),
    (b"\xaa\xaa\xaa\xaa", f"an Accellent 5Views capture{_CONVERT}"),
    # What lies about on machines.
    (b"LPKSHHRH", "a systemd journal"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"PK\x07\x08", "a part of a zip archive in several volumes"),
    (b"%PDF-", "a PDF document"),
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"\x7fELF", "an ELF program or core file"),
    (b"MZ", "a Windows program"),
    (b"\xd0\xcf\x11\xe0", "an old Office document"),
    (b"SQLite format 3\x00", "a SQLite database"),
    (b"PAR1", "a Parquet file"),
    (b"PERFILE2", "a perf.data file; give the text of perf script"),
    # Archives that are not opened.
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive; unpack it first"),
    (b"Rar!", "a RAR archive; unpack it first"),
    (b"\x02\x21\x4c\x18", "an lz4 file in the legacy format of the kernel; unpack it first"),
    (b"\x1f\x9d", "a compress (.Z) file; unpack it first"),
    (b"LZIP", "an lzip file; unpack it first"),
    (b"\x89LZO\x00", "an lzop file; unpack it first"),
    (b"\x5d\x00\x00", "an lzma file of the old kind; unpack it first"),
    (b"070701", "a cpio archive; unpack it first"),
    (b"070707", "a cpio archive; unpack it first"),
    (b"!<arch>\n", "an ar archive or Debian package"),
    (b"\xed\xab\xee\xdb", "an RPM package"),
)

_ERF_TYPES: Final = frozenset(range(1, 49))
_ERF_SMALLEST: Final = 16


def name_foreign(head: bytes) -> str:
    """What data that begins like this is, in words; empty when it is nothing that is known."""
    named = next((words for signature, words in _SIGNATURES if head.startswith(signature)), "")
    return named or (f"an Endace ERF capture{_CONVERT}" if _is_erf(head) else "")


def _is_erf(head: bytes) -> bool:
    """ERF has no magic number: three records must follow one another, within an hour and never going back.

    A record begins with a little-endian time stamp of 2^-32 s, its type, flags and its length, big-endian.
    """
    at, latest = 0, 0
    for _ in range(3):
        if at + _ERF_SMALLEST > len(head):
            return False
        time = int.from_bytes(head[at : at + 8], "little")
        length = int.from_bytes(head[at + 10 : at + 12], "big")
        if head[at + 8] & 0x7F not in _ERF_TYPES or length < _ERF_SMALLEST or time < 1 << 60:
            return False
        if latest and not 0 <= time - latest < 3600 << 32:
            return False
        at, latest = at + length, time
    return True
