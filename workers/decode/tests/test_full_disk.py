"""Unpacking on a disk that is really too small: it stops before the reserve and keeps what it has."""

from __future__ import annotations

import gzip
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.disk_space import room_at
from backend.errors import UnreadableInput
from backend.limits import Limits
from backend.storage.tests.small_disk import small_disk
from workers.decode.bundles import expand_bundle
from workers.decode.frames.plain import plain_capture

CAPTURE = b"\xd4\xc3\xb2\xa1\x02\x00\x04\x00" + bytes(8) + b"\xff\xff\x00\x00\x01\x00\x00\x00"
MEMBER = CAPTURE + bytes(2 << 20)
MEMBERS = 8
RESERVE_BYTES = 8 << 20


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk", 12) as mounted:
        yield mounted


def bundle(folder: Path, form: str) -> Path:
    member = folder / "member"
    member.write_bytes(MEMBER)
    if form == "zip":
        with zipfile.ZipFile(folder / "all.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for number in range(MEMBERS):
                archive.write(member, f"{number}.pcap")
        return folder / "all.zip"
    with tarfile.open(folder / "all.tar.gz", "w:gz") as tar:
        for number in range(MEMBERS):
            tar.add(member, f"{number}.pcap")
    return folder / "all.tar.gz"


@pytest.mark.promise("Unpacking leaves half of the disk's reserve free.")
@pytest.mark.parametrize("form", ["zip", "tar"])
def test_a_bundle_is_unpacked_as_far_as_there_is_room(tmp_path: Path, disk: Path, form: str) -> None:
    packed = bundle(tmp_path, form)
    expansion = expand_bundle(packed, disk / "out", Limits(disk_reserve_bytes=RESERVE_BYTES))
    assert 0 < len(expansion.members) < MEMBERS
    assert all(member.path.stat().st_size == len(MEMBER) for member in expansion.members)
    (warning,) = expansion.warnings
    assert "The disk is full (2.0 MiB needed" in warning
    assert "4.0 MiB reserved" in warning
    assert room_at(disk).free_bytes >= RESERVE_BYTES // 2


def test_with_room_all_of_it_is_unpacked(tmp_path: Path) -> None:
    packed = bundle(tmp_path, "tar")
    expansion = expand_bundle(packed, tmp_path / "out", Limits(disk_reserve_bytes=1))
    assert (len(expansion.members), expansion.warnings) == (MEMBERS, ())


def test_a_capture_that_does_not_fit_is_not_unpacked(tmp_path: Path, disk: Path) -> None:
    packed = tmp_path / "big.pcap.gz"
    packed.write_bytes(gzip.compress(CAPTURE + bytes(16 << 20)))
    with pytest.raises(UnreadableInput, match="The disk is full"):
        plain_capture(packed, disk / "plain.capture", Limits(disk_reserve_bytes=RESERVE_BYTES))
    assert list(disk.iterdir()) == []
