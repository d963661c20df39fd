"""Calls that a taken-over child could reach past Landlock: rights and times of files, other processes, memory that no
limit counts. Each is really made, and refused; what the work itself needs stays."""

from __future__ import annotations

import fcntl
import mmap
import os
import resource
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from workers.confinement.trial import confinement_here
from workers.sandbox import Access, ChildPool, Notify, child_work

HELD = confinement_here()
pytestmark = pytest.mark.skipif(
    not HELD.seccomp, reason=f"the kernel does not offer: {', '.join(HELD.missing)}"
)
FIOSETOWN = 0x8901


def attempt(what: Callable[[], object]) -> str:
    try:
        what()
    except OSError as error:
        return type(error).__name__
    return "done"


@child_work()
def change_files(path: Path, notify: Notify) -> dict[str, str]:
    return {
        "chmod": attempt(lambda: path.chmod(0o666)),
        "fchmod": attempt(lambda: os.fchmod(os.open(path, os.O_RDONLY), 0o666)),
        "chown": attempt(lambda: os.chown(path, os.getuid(), os.getgid())),
        "utime": attempt(lambda: os.utime(path, (1, 1))),
        "setxattr": attempt(lambda: os.setxattr(path, "user.stallscope", b"1")),
        "truncate": attempt(lambda: os.truncate(path, 0)),
        "open for reading, emptied": attempt(lambda: os.open(path, os.O_RDONLY | os.O_TRUNC)),
    }


@child_work()
def reach_process(process: int, notify: Notify) -> dict[str, str]:
    pipe = socket.socket(fileno=os.dup(3))
    return {
        "prlimit": attempt(lambda: resource.prlimit(process, resource.RLIMIT_CPU, (1, 1))),
        "setpriority": attempt(lambda: os.setpriority(os.PRIO_PROCESS, process, 19)),
        "sched_setaffinity": attempt(lambda: os.sched_setaffinity(process, {0})),
        "sched_setscheduler": attempt(
            lambda: os.sched_setscheduler(process, os.SCHED_IDLE, os.sched_param(0))
        ),
        "F_SETOWN": attempt(lambda: fcntl.fcntl(pipe, fcntl.F_SETOWN, process)),
        "F_SETSIG": attempt(lambda: fcntl.fcntl(pipe, fcntl.F_SETSIG, 9)),
        "FIOSETOWN": attempt(lambda: fcntl.ioctl(pipe, FIOSETOWN, process.to_bytes(4, sys.byteorder))),
    }


@child_work()
def take_uncounted_memory(notify: Notify) -> dict[str, str]:
    return {
        "memfd": attempt(lambda: os.memfd_create("x")),
        "shared": attempt(lambda: mmap.mmap(-1, 1 << 20)),
        "a folder in memory": attempt(lambda: Path("/dev/shm/stallscope-test").write_bytes(b"x")),
    }


@child_work()
def do_as_ever(folder: Path, notify: Notify) -> list[str]:
    path = folder / "a"
    path.write_bytes(b"12")
    path.write_bytes(b"3")
    with path.open("r+b") as file:
        file.truncate(4)
        mapped = mmap.mmap(file.fileno(), 4, mmap.MAP_SHARED)
        mapped[1:2] = b"4"
        mapped.close()
    own = mmap.mmap(-1, 1 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    own.close()
    return [
        path.read_bytes().hex(),
        str(fcntl.fcntl(3, fcntl.F_GETFD)),
        str(resource.getrlimit(resource.RLIMIT_CORE)[0]),
    ]


WORKS = (change_files, reach_process, take_uncounted_memory, do_as_ever)


@pytest.fixture(scope="module")
def pool() -> Iterator[ChildPool]:
    pool = ChildPool(1, works=WORKS)
    yield pool
    pool.close()


def run(pool: ChildPool, work: Callable[..., object], *arguments: object, access: Access) -> object:
    return pool.run(work, arguments, notify=lambda news: None, is_wanted=lambda: True, access=access)


@pytest.mark.promise(
    "A child cannot change rights, times or length of a file that it may only read, or may not."
)
@pytest.mark.parametrize("may_start_programs", [False, True])
@pytest.mark.parametrize("is_readable", [False, True])
def test_no_change_of_files(
    pool: ChildPool, tmp_path: Path, may_start_programs: bool, is_readable: bool
) -> None:
    path = tmp_path / "stored"
    path.write_bytes(b"as uploaded")
    before = path.stat()
    access = Access(read=(path,) if is_readable else (), may_start_programs=may_start_programs)
    said = run(pool, change_files, path, access=access)
    assert isinstance(said, dict)
    assert set(said.values()) == {"PermissionError"}, said
    after = path.stat()
    assert (before.st_mode, before.st_mtime_ns, before.st_size) == (
        after.st_mode,
        after.st_mtime_ns,
        after.st_size,
    )


@pytest.mark.promise("A child changes no limit, priority or signal of another process.")
@pytest.mark.parametrize("may_start_programs", [False, True])
def test_no_other_process(pool: ChildPool, may_start_programs: bool) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as victim:
        said = run(pool, reach_process, victim.pid, access=Access(may_start_programs=may_start_programs))
        assert isinstance(said, dict)
        assert set(said.values()) == {"PermissionError"}, said
        assert victim.poll() is None
        victim.kill()


@pytest.mark.promise("A child has no memory that its limit does not count.")
@pytest.mark.parametrize("may_start_programs", [False, True])
def test_no_uncounted_memory(pool: ChildPool, may_start_programs: bool) -> None:
    said = run(pool, take_uncounted_memory, access=Access(may_start_programs=may_start_programs))
    assert isinstance(said, dict)
    assert {*said.values()} == {"PermissionError"}, said


def test_what_the_work_needs_stays(pool: ChildPool, tmp_path: Path) -> None:
    said = run(pool, do_as_ever, tmp_path, access=Access(write=(tmp_path,)))
    assert said == ["33340000", "0", "0"]
