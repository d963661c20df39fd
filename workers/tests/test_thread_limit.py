"""A child that starts threads without end: of an ordinary user, beside other processes of that user, and of root."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from workers.confinement.programs import Run, start_program
from workers.confinement.trial import confinement_here
from workers.sandbox import Access, ChildPool, Notify, child_work

BOMB = """
import encodings.ascii, encodings.latin_1, os, sys, threading
from backend.limits import Limits
from workers.confinement.kernel import threads_counted
from workers.sandbox.child import _set_limits
os.setgid(65534); os.setuid(65534)
before, end = threads_counted(), threading.Event()
if sys.argv[1] == "limited":
    _set_limits(Limits())
threading.stack_size(64 << 10)
started = 0
try:
    while started < 1300:
        threading.Thread(target=end.wait, daemon=True).start()
        started += 1
except RuntimeError:
    pass
print(before, started, flush=True)
os._exit(0)
"""


@pytest.mark.promise("The threads of a child are bounded, whatever else its user runs.")
@pytest.mark.skipif(os.getuid() != 0, reason="changing the user needs root")
@pytest.mark.parametrize("way", ["limited", "free"])
def test_threads_are_bounded(way: str) -> None:
    with subprocess.Popen(["sleep", "60"], user=65534, group=65534) as beside:
        said = subprocess.run([sys.executable, "-c", BOMB, way], capture_output=True, text=True, check=False)
        beside.kill()
    assert said.returncode == 0, said.stderr
    before, started = map(int, said.stdout.split())
    assert before >= 2
    assert started == 1300 if way == "free" else 900 < started <= 1024


MANY = 1300
PROGRAM = """
import os, threading
threading.stack_size(64 << 10)
end, started = threading.Event(), 0
try:
    while started < 1300:
        threading.Thread(target=end.wait, daemon=True).start()
        started += 1
except RuntimeError:
    pass
print(started, os.getuid() == os.geteuid(), flush=True)
os._exit(0)
"""


@child_work()
def start_threads(notify: Notify) -> int:
    threading.stack_size(64 << 10)
    end, started = threading.Event(), 0
    with suppress(RuntimeError):
        while started < MANY:
            threading.Thread(target=end.wait, daemon=True).start()
            started += 1
    return started


@child_work()
def start_threads_in_a_program(notify: Notify) -> list[str]:
    nothing = os.open(os.devnull, os.O_RDWR)
    output, its_output = os.pipe()
    command = ("/usr/bin/env", "python3", "-I", "-c", PROGRAM)
    wanted = Run(command, {"PATH": os.environ["PATH"]}, os.environ["TMPDIR"], 60, 512 << 20, 1 << 20)
    program = start_program(wanted, (nothing, its_output, nothing))
    os.close(its_output)
    said = os.read(output, 4096).decode()
    return [*said.split(), str(program.end(kill=False))]


@child_work()
def become_root_again(notify: Notify) -> list[str]:
    return [attempt(lambda: os.setresuid(0, 0, 0)), attempt(lambda: os.setuid(os.getuid()))]


@child_work()
def write_and_read(stored: Path, folder: Path, notify: Notify) -> list[int]:
    written = folder / "a"
    written.write_bytes(stored.read_bytes())
    found = written.stat()
    return [found.st_uid, found.st_size]


def attempt(what: Callable[[], object]) -> str:
    try:
        what()
    except OSError as error:
        return type(error).__name__
    return "done"


@pytest.fixture(scope="module")
def pool() -> Iterator[ChildPool]:
    works = (start_threads, start_threads_in_a_program, become_root_again, write_and_read)
    pool = ChildPool(1, works=works)
    yield pool
    pool.close()


def run(pool: ChildPool, work: Callable[..., object], *arguments: object, access: Access) -> object:
    return pool.run(work, arguments, notify=lambda news: None, is_wanted=lambda: True, access=access)


@pytest.mark.promise("The threads of a child are bounded, whatever else its user runs.")
@pytest.mark.parametrize("may_start_programs", [False, True])
def test_threads_of_a_child_are_bounded_whoever_runs_the_worker(
    pool: ChildPool, may_start_programs: bool
) -> None:
    started = run(pool, start_threads, access=Access(may_start_programs=may_start_programs))
    assert isinstance(started, int)
    assert 900 < started <= 1024


def test_threads_of_a_program_are_bounded_and_it_runs_as_one_user(pool: ChildPool) -> None:
    said = run(pool, start_threads_in_a_program, access=Access(may_start_programs=True))
    assert isinstance(said, list)
    started, is_one_user, code = said
    assert (900 < int(started) <= 1024, is_one_user, code) == (True, "True", "0")


@pytest.mark.skipif(not confinement_here().seccomp, reason="the kernel does not offer seccomp")
def test_a_child_cannot_change_its_user(pool: ChildPool) -> None:
    assert run(pool, become_root_again, access=Access()) == ["PermissionError", "PermissionError"]


def test_files_belong_to_the_user_of_the_worker_and_those_of_others_are_read(
    pool: ChildPool, tmp_path: Path
) -> None:
    stored, folder = tmp_path / "stored", tmp_path / "results"
    folder.mkdir()
    stored.write_bytes(b"as uploaded")
    stored.chmod(0o600)
    if os.getuid() == 0:
        os.chown(stored, 65534, 65534)
        os.chown(folder, 65534, 65534)
        folder.chmod(0o700)
    said = run(pool, write_and_read, stored, folder, access=Access(read=(stored,), write=(folder,)))
    assert said == [os.getuid(), len(b"as uploaded")]
