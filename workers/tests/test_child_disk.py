"""Children on a disk that gets full: ended with a sentence, by whoever notices first."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from backend.disk_space import room_at, says_disk_full
from backend.errors import UnreadableInput
from backend.limits import Limits
from backend.storage.tests.small_disk import fill, small_disk
from workers.sandbox import Access, ChildPool, Notify, child_work

RESERVE_BYTES = 8 << 20


@child_work()
def write_many_files(folder: Path, notify: Notify) -> None:
    """As a child that was taken over: each file is below the limit of one, and the errors are passed over."""
    number = 0
    while True:
        number += 1
        try:
            (folder / str(number)).write_bytes(bytes(64 << 10))
        except OSError:
            continue


@child_work()
def fail_as_a_library(kind: str, notify: Notify) -> None:
    words = os.strerror(errno.ENOSPC)
    raise {"library": RuntimeError(f"IO Error: {words}"), "quota": OSError(errno.EDQUOT, "x")}[kind]


@child_work()
def write_little(folder: Path, notify: Notify) -> int:
    return (folder / "a").write_bytes(b"x")


@pytest.fixture(scope="module")
def pool() -> Iterator[ChildPool]:
    works: tuple[Callable[..., object], ...] = (write_many_files, fail_as_a_library, write_little)
    pool = ChildPool(1, Limits(disk_reserve_bytes=RESERVE_BYTES), works=works)
    yield pool
    pool.close()


def run(
    pool: ChildPool, work: Callable[..., object], *arguments: object, folder: Path | None = None
) -> object:
    access = Access(write=(folder,) if folder else ())
    return pool.run(work, arguments, notify=lambda news: None, is_wanted=lambda: True, access=access)


@pytest.mark.promise("A child cannot fill the disk: it is ended below half of the reserve.")
def test_a_child_that_fills_the_disk_is_ended(pool: ChildPool, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 48) as disk:
        assert run(pool, write_little, disk, folder=disk) == 1
        with pytest.raises(UnreadableInput, match="The disk is full"):
            run(pool, write_many_files, disk, folder=disk)
        for written in disk.iterdir():
            written.unlink()
        assert run(pool, write_little, disk, folder=disk) == 1


@pytest.mark.parametrize(
    ("left", "is_full"), [(RESERVE_BYTES // 2 + (1 << 20), False), (RESERVE_BYTES // 4, True)]
)
def test_work_begins_above_half_of_the_reserve(
    pool: ChildPool, tmp_path: Path, left: int, is_full: bool
) -> None:
    with small_disk(tmp_path / "disk", 32) as disk:
        fill(disk, leave_bytes=left)
        assert bool(room_at(disk, RESERVE_BYTES).lack_for_work()) == is_full
        if not is_full:
            assert run(pool, write_little, disk, folder=disk) == 1
            return
        with pytest.raises(UnreadableInput, match="The disk is full"):
            run(pool, write_many_files, disk, folder=disk)


@pytest.mark.parametrize("kind", ["library", "quota"])
def test_every_form_of_no_room_is_told_alike(pool: ChildPool, kind: str) -> None:
    with pytest.raises(UnreadableInput) as raised:
        run(pool, fail_as_a_library, kind)
    assert says_disk_full(raised.value.sentence)
