"""Bundles: what is evidence comes out, the rest is named, and no archive does harm."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from backend.limits import Limits
from workers.decode.bundle_members import Expansion
from workers.decode.bundles import expand_bundle
from workers.decode.member_names import NAME_LIMIT, clean_name
from workers.decode.tests.capture_bytes import handshake, pcap
from workers.decode.tests.packed_bytes import PACKERS
from workers.decode.unpacking import FREE_BYTES

CAPTURE = pcap(handshake())
DUMP = b"cpu=0 found=1 invalid=2 insert=0 insert_failed=3 drop=0 early_drop=0 error=0 search_restart=4\n"
FILES = {
    "node/any.pcap": CAPTURE,
    "node/S.txt": DUMP,
    "node/notes.txt": b"hello\n",
    "node/photo": b"\xff\xd8\xff",
}
Write = Callable[[dict[str, bytes]], bytes]


def tar(files: dict[str, bytes]) -> bytes:
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return written.getvalue()


def zip_(files: dict[str, bytes]) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return written.getvalue()


WRITERS: dict[str, Write] = {
    "zip": zip_,
    "tar": tar,
    **{f"tar.{name}": lambda files, pack=pack: pack(tar(files)) for name, pack in PACKERS.items()},  # type: ignore[misc]
}
every_writer = pytest.mark.parametrize("write", WRITERS.values(), ids=list(WRITERS))


def expand(data: bytes, folder: Path, limits: Limits = Limits()) -> Expansion:  # noqa: B008
    path = folder / "bundle"
    path.write_bytes(data)
    return expand_bundle(path, folder / "out", limits)


def contents(expansion: Expansion) -> dict[str, bytes]:
    return {member.name: member.path.read_bytes() for member in expansion.members}


def reasons(expansion: Expansion) -> dict[str, str]:
    return {each.name: each.why for each in expansion.not_used}


@every_writer
def test_captures_and_dumps_come_out_and_the_rest_is_named(write: Write, tmp_path: Path) -> None:
    expansion = expand(write(FILES), tmp_path)
    assert contents(expansion) == {"node/any.pcap": CAPTURE, "node/S.txt": DUMP}
    assert [(m.kind, m.format) for m in expansion.members] == [("capture", "pcap"), ("dump", "text")]
    assert reasons(expansion) == {
        "node/notes.txt": "a text that is no known dump",
        "node/photo": "a JPEG image",
    }
    assert (expansion.not_used_total, expansion.warnings) == (2, ())
    assert len(list((tmp_path / "out").iterdir())) == 2


@every_writer
def test_bundles_in_bundles_to_the_limit(write: Write, tmp_path: Path) -> None:
    two_deep = write({"inner.x": write({"a.pcap": CAPTURE, "innermost": write({"b.pcap": CAPTURE})})})
    assert list(contents(expand(two_deep, tmp_path))) == ["inner.x/a.pcap", "inner.x/innermost/b.pcap"]
    expansion = expand(two_deep, tmp_path / "out", Limits(bundle_depth=2))
    assert list(contents(expansion)) == ["inner.x/a.pcap"]
    assert reasons(expansion) == {"inner.x/innermost": "an archive, 2 deep in others, the limit bundle_depth"}


@every_writer
def test_names_of_attackers_lead_nowhere(write: Write, tmp_path: Path) -> None:
    names = ["/etc/a.pcap", "../../b.pcap", "x/../../c.pcap", "C:\\d.pcap", "e\x1b[2J\u202e.pcap", "x" * 400]
    expansion = expand(write(dict.fromkeys(names, CAPTURE)), tmp_path)
    assert [m.name for m in expansion.members] == [
        "etc/a.pcap", "b.pcap", "x/c.pcap", "C:/d.pcap", "e�[2J�.pcap", "…" + "x" * (NAME_LIMIT - 1),
    ]  # fmt: skip
    assert {path.name for path in tmp_path.rglob("*")} == {
        "bundle", "out", "000001", "000002", "000003", "000004", "000005", "000006",
    }  # fmt: skip


def test_a_name_given_twice_is_told_apart(tmp_path: Path) -> None:
    twice = tar({"a.pcap": CAPTURE})[:1024] + tar({"a.pcap": CAPTURE, ".git/b.pcap": CAPTURE})
    expansion = expand(twice, tmp_path)
    assert list(contents(expansion)) == ["a.pcap", "a.pcap (2)"]
    assert reasons(expansion) == {".git/b.pcap": "a hidden file"}


def test_links_devices_and_locked_members_are_named(tmp_path: Path) -> None:
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w") as archive:
        for name, kind in (("s", tarfile.SYMTYPE), ("h", tarfile.LNKTYPE), ("p", tarfile.FIFOTYPE)):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
    link = "a link to another file"
    assert reasons(expand(written.getvalue(), tmp_path)) == {"s": link, "h": link, "p": "a device or pipe"}
    locked = bytearray(zip_({"a.pcap": CAPTURE}))
    locked[locked.index(b"PK\x01\x02") + 8] |= 1
    assert reasons(expand(bytes(locked), tmp_path)) == {"a.pcap": "locked by a password"}


def test_a_zip_whose_list_points_before_the_file(tmp_path: Path) -> None:
    packed = bytearray(zip_({"a.pcap": CAPTURE}))
    place = packed.index(b"PK\x05\x06") + 16  # where the list of members begins (APPNOTE 4.3.16)
    packed[place : place + 4] = (int.from_bytes(packed[place : place + 4], "little") + 99).to_bytes(
        4, "little"
    )
    expansion = expand(bytes(packed), tmp_path)
    assert (expansion.members, len(expansion.warnings)) == ((), 1)
    assert "damaged" in expansion.warnings[0]


@every_writer
def test_the_limit_of_members(write: Write, tmp_path: Path) -> None:
    files = {f"{n}.pcap": CAPTURE for n in range(5)}
    assert expand(write(files), tmp_path, Limits(bundle_members=5)).warnings == ()
    expansion = expand(write(files), tmp_path / "out", Limits(bundle_members=4))
    assert len(expansion.members) == 4
    assert expansion.warnings == (
        "It has more than 4 members, the limit bundle_members. The rest of the bundle was not looked at.",
    )


@every_writer
def test_the_limit_of_bytes(write: Write, tmp_path: Path) -> None:
    files = {"a.pcap": CAPTURE, "b.pcap": CAPTURE}
    enough = 2 * len(CAPTURE) if write is zip_ else 10_240  # a tar is filled up to this
    assert len(expand(write(files), tmp_path, Limits(unpacked_bytes=enough)).members) == 2
    expansion = expand(write(files), tmp_path / "out", Limits(unpacked_bytes=len(CAPTURE) - 1))
    assert (expansion.members, len(expansion.warnings)) == ((), 1)


def test_one_byte_less_than_all_members_need(tmp_path: Path) -> None:
    packed = zip_({"a.pcap": CAPTURE, "b.pcap": CAPTURE})
    expansion = expand(packed, tmp_path, Limits(unpacked_bytes=2 * len(CAPTURE) - 1))
    assert list(contents(expansion)) == ["a.pcap"]


def test_a_bomb_is_stopped_by_its_ratio(tmp_path: Path) -> None:
    bomb = zip_({"a.pcap": CAPTURE + bytes(FREE_BYTES), "b.pcap": CAPTURE})
    expansion = expand(bomb, tmp_path, Limits(unpacked_ratio=100))
    assert expansion.members == ()
    assert "unpacked_ratio" in expansion.warnings[0]
    assert sum(path.stat().st_size for path in (tmp_path / "out").iterdir()) == 0


@pytest.mark.parametrize("name", ["tar", "tar.gzip", "tar.xz"])
def test_a_cut_bundle_keeps_what_came_before(name: str, tmp_path: Path) -> None:
    whole = WRITERS[name]({"a.pcap": CAPTURE, "b.pcap": CAPTURE * 300})
    cut = whole[: len(whole) // 2] if name == "tar" else whole[:-30]
    expansion = expand(cut, tmp_path)
    assert contents(expansion)["a.pcap"] == CAPTURE
    assert (CAPTURE * 300).startswith(contents(expansion).get("b.pcap", b""))
    assert len(expansion.warnings) == 1
    assert "The bundle is damaged after" in expansion.warnings[0]


def test_a_damaged_header_in_the_middle_is_said(tmp_path: Path) -> None:
    data = bytearray(tar({"a.pcap": CAPTURE, "b.pcap": CAPTURE}))
    data[1024] ^= 0xFF
    expansion = expand(bytes(data), tmp_path)
    assert list(contents(expansion)) == ["a.pcap"]
    assert "damaged after 1 members" in expansion.warnings[0]


def test_one_damaged_member_of_a_zip_costs_that_one(tmp_path: Path) -> None:
    data = bytearray(zip_({"a.pcap": bytes(range(256)) * 40, "b.pcap": CAPTURE}))
    data[60:64] = b"\xff\xff\xff\xff"
    expansion = expand(bytes(data), tmp_path)
    assert list(contents(expansion)) == ["b.pcap"]
    assert "a.pcap is damaged" in expansion.warnings[0]


@pytest.mark.parametrize("data", [b"PK\x03\x04" + bytes(100), tar({})[:512], tar(FILES)[:600]])
def test_archives_that_are_hardly_there_never_raise(data: bytes, tmp_path: Path) -> None:
    assert expand(data, tmp_path).members == ()


@pytest.mark.parametrize(
    ("name", "shown"), [("", "unnamed"), ("..", "unnamed"), ("a//b/./c", "a/b/c"), ("\ud800", "?")]
)
def test_clean_names(name: str, shown: str) -> None:
    assert clean_name(name) == shown
