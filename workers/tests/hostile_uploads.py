"""Files that attack what reads them: bombs, nests, blocks that lie, names that mislead."""

from __future__ import annotations

import gzip
import io
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from backend.api.tests.running_product import DEMO
from backend.forensics.packets import SYN
from workers.decode.tests.capture_bytes import block, enhanced, interface, pcap, section, tcp

DUMP = (DEMO / "snat-race" / "conntrack-S-before.txt").read_bytes()
ONE_PACKET = enhanced(0, 1, tcp(SYN))
CAPTURE = section() + interface() + ONE_PACKET
REFUSED, FAILED, DECODED = "refused", "failed", "decoded"
MISLEADING = "\u202egnp.pacp\u202c\x1b[2J\x00\r\n<img src=x onerror=alert(1)>"


@dataclass(frozen=True)
class Attack:
    """One upload."""

    name: str
    content: Callable[[], bytes]
    ends: str
    """REFUSED at the door, FAILED or DECODED (as far as it goes) by the analysis."""
    says: str = ""
    """Must be in what is said of it: the refusal, the file's error, or its warnings."""


def gzip_of_zeros(size_bytes: int, first: bytes = b"") -> bytes:
    """gzip, a thousandth of its content."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    piece = bytes(1 << 20)
    return (
        packer.compress(first)
        + b"".join(packer.compress(piece) for _ in range(size_bytes >> 20))
        + packer.flush()
    )


def zip_of(members: Iterable[tuple[str, bytes]], method: int = zipfile.ZIP_STORED) -> bytes:
    """A zip with these names, whatever they are."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", method) as archive:
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return written.getvalue()


def tar_of(members: Iterable[tuple[str, bytes]]) -> bytes:
    """The same as a tar."""
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in members:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return written.getvalue()


def nested(
    depth: int, kinds: tuple[Callable[[Iterable[tuple[str, bytes]]], bytes], ...] = (zip_of, tar_of)
) -> bytes:
    """Archives in archives, by turns of these kinds, around one capture."""
    inner, name = CAPTURE, "a.pcapng"
    for level in range(depth):
        inner, name = kinds[level % len(kinds)]([(name, inner)]), f"{level}.bin"
    return inner


def linked_tar() -> bytes:
    """Links and devices beside a dump."""
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w") as archive:
        for name, kind, target in (
            ("passwd", tarfile.SYMTYPE, "/etc/passwd"),
            ("shadow", tarfile.LNKTYPE, "/etc/shadow"),
            ("null", tarfile.CHRTYPE, ""),
            ("pipe", tarfile.FIFOTYPE, ""),
        ):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, target
            archive.addfile(member)
        member = tarfile.TarInfo("s.txt")
        member.size = len(DUMP)
        archive.addfile(member, io.BytesIO(DUMP))
    return written.getvalue()


def raw_block(kind: int, length: int, body: bytes, closing: int | None = None) -> bytes:
    """A pcapng block with total lengths of one's own choice."""
    closing = length if closing is None else closing
    return struct.pack("<II", kind, length) + body + struct.pack("<I", closing)


def packed(content: bytes, keep: float = 1.0) -> bytes:
    """gzip, cut after a part of it."""
    whole = gzip.compress(content, mtime=0)
    return whole[: int(len(whole) * keep)]


MANY_PACKETS = pcap([(number, tcp(SYN, client_port=1024 + number % 60000)) for number in range(20_000)])


def beyond_its_block() -> bytes:
    """A packet block whose packet claims more bytes than the block has."""
    return block(6, struct.pack("<IIIII", 0, 0, 0, 4096, 4096) + bytes(8))


def _zip_with_long_names() -> bytes:
    return zip_of([("n" * 10_000 + ".pcapng", CAPTURE), (MISLEADING + ".txt", DUMP)])


_LEADING_OUT = (
    "/etc/cron.d/a.pcapng", "../../../../tmp/b.pcapng", "..\\..\\c.pcapng", "C:\\d.pcapng", "e/../../f.pcapng",
)  # fmt: skip
_LISTED = b"tcp 6 431999 ESTABLISHED src=10.0.0.1 dst=10.0.0.2 sport=1 dport=2\n"
_LIST = b'{"kind":"List","items":['


def _members(count: int, evidence: int) -> bytes:
    """A tar of so many members, some of them captures."""
    return tar_of(
        (f"{number}.pcapng", CAPTURE) if number < evidence else (f"{number}.txt", b"hello\n")
        for number in range(count)
    )


QUICK: tuple[Attack, ...] = (
    Attack("gzip cut in the middle", lambda: packed(MANY_PACKETS, 0.5), DECODED, "the gzip data ends early"),
    Attack("program called.pcap", lambda: b"\x7fELF\x02\x01\x01" + bytes(4096), REFUSED, "a program (ELF)"),
    Attack("20 archives in archives", lambda: nested(20), FAILED, "the limit bundle_depth"),
    Attack("names that lead out", lambda: zip_of([(name, CAPTURE) for name in _LEADING_OUT]), DECODED),
    Attack("links and devices", linked_tar, DECODED, "4 files in it are not used"),
    Attack("block of length 0", lambda: CAPTURE + raw_block(6, 0, bytes(20)), DECODED, "claims 0 bytes"),
    Attack(
        "block of an odd length", lambda: CAPTURE + raw_block(6, 35, bytes(23)), DECODED, "claims 35 bytes"
    ),
    Attack(
        "block of 4 GiB",
        lambda: CAPTURE + raw_block(6, 0xFFFFFFFC, bytes(20)),
        DECODED,
        "claims 4,294,967,292",
    ),
    Attack(
        "packet beyond its block",
        lambda: CAPTURE + beyond_its_block(),
        DECODED,
        "claims 4,096 bytes, more than",
    ),
    Attack("lengths that disagree", lambda: CAPTURE + raw_block(6, 32, bytes(20), 36) + ONE_PACKET, DECODED),
    Attack("JSON 100,000 deep", lambda: b"[" * 100_000, DECODED, "1 of 1 lines not understood"),
    Attack("objects 100,000 deep", lambda: b'{"items":' * 100_000, DECODED, "is cut short"),
    Attack("list 100,000 deep", lambda: _LIST + b"[" * 100_000, DECODED, "is cut short"),
    Attack("names of 10,000 characters", _zip_with_long_names, DECODED),
)
"""Small ones."""

SLOW: tuple[Attack, ...] = (
    Attack("gzip of 1 GB of zeros", lambda: gzip_of_zeros(1 << 30), FAILED, "binary data of no known format"),
    Attack(
        "capture in a bomb",
        lambda: gzip_of_zeros(1 << 30, CAPTURE),
        DECODED,
        "at byte 152 of the unpacked data",
    ),
    Attack(
        "gzip bomb in tar in zip",
        lambda: zip_of([("b.tar", tar_of([("a.gz", gzip_of_zeros(1 << 30))]))]),
        FAILED,
        "b.tar/a.gz: ",
    ),
    Attack("gzip in gzip in gzip", lambda: packed(packed(gzip_of_zeros(1 << 30))), FAILED, "inside another"),
    Attack(
        "zip of 1 GB in ten members",
        lambda: zip_of([(f"{n}.txt", bytes(100 << 20)) for n in range(10)], zipfile.ZIP_DEFLATED),
        FAILED,
        "unpacked_ratio",
    ),
    Attack(
        "tar of zeros in gzip",
        lambda: packed(tar_of([("a.pcap", MANY_PACKETS[:24] + bytes(300 << 20))])),
        DECODED,
    ),
    Attack(
        "archive of 5,000 members", lambda: _members(5_000, 50), DECODED, "4,950 files in it are not used"
    ),
    Attack(
        "archive of 60,000 members",
        lambda: zip_of((f"{n}.txt", b"") for n in range(60_000)),
        FAILED,
        "bundle_members",
    ),
    Attack(
        "100,000 interfaces",
        lambda: section() + interface() * 100_000 + ONE_PACKET,
        DECODED,
        "1,024 interfaces",
    ),
    Attack(
        "100,000 sections",
        lambda: (section() + interface("eth0") + ONE_PACKET) * 100_000,
        DECODED,
        "1,024 interfaces",
    ),
    Attack("100,000 empty sections", lambda: section() * 100_000 + interface() + ONE_PACKET, DECODED),
    Attack("one line of 100 MB", lambda: b"x" * 100_000_000, DECODED, "not understood"),
    Attack("200,000 lines", lambda: _LISTED * 200_000, DECODED),
    Attack("a million objects", lambda: _LIST + b'{"a":1},' * 1_000_000 + b"{}]}", DECODED, "not understood"),
    Attack("number of a million digits", lambda: _LIST + b"9" * 1_000_000 + b"]}", DECODED, "is cut short"),
    Attack(
        "blanks and keys without values",
        lambda: b"tcp " + b"src=" * 500_000 + b"\n" + b" " * 2_000_000 + b"x\n",
        DECODED,
        "not understood",
    ),
)
"""Those that are large, or unpack to much."""
