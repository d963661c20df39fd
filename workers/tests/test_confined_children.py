"""Children that were taken over: each really tries one thing that only an attacker would, and is refused."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from backend.errors import Cancelled, TooCostly
from backend.limits import Limits
from workers.confinement.programs import Run, Running, start_program
from workers.confinement.trial import confinement_here
from workers.sandbox import Access, ChildDied, ChildPool, Notify, child_work
from workers.sandbox.messages import DONE, FAILED, UNREADABLE, send_message

LIMITS = Limits(child_memory_bytes=512 << 20, child_cpu_s=20, child_answer_bytes=100_000)
SECRET = "postgresql://stallscope:planted-secret@db/stallscope"

HELD = confinement_here()
pytestmark = pytest.mark.skipif(
    not (HELD.landlock and HELD.seccomp), reason=f"the kernel does not offer: {', '.join(HELD.missing)}"
)


@dataclass(frozen=True)
class Declared:
    """What the works here answer."""

    count: int
    name: str = ""


def attempt(what: Callable[[], object]) -> str:
    try:
        return f"done: {what()!r}"
    except Exception as error:
        return type(error).__name__


@child_work()
def connect(port: int, notify: Notify) -> list[str]:
    def over(family: socket.AddressFamily, address: Any) -> str:
        return attempt(lambda: socket.socket(family).connect(address))

    raw = ctypes.CDLL(None, use_errno=True)
    raw.socket(socket.AF_INET, socket.SOCK_STREAM, 0)
    without_python = "PermissionError" if ctypes.get_errno() == 1 else "a socket"
    return [
        over(socket.AF_INET, ("127.0.0.1", port)), over(socket.AF_INET6, ("::1", port)),
        over(socket.AF_UNIX, "\0abstract"), attempt(lambda: socket.create_connection(("127.0.0.1", port))),
        without_python,
    ]  # fmt: skip


@child_work()
def read(paths: list[Path], notify: Notify) -> list[str]:
    return [attempt(path.read_bytes) for path in paths]


@child_work()
def write(paths: list[Path], notify: Notify) -> list[str]:
    return [attempt(lambda path=path: path.write_bytes(b"x")) for path in paths]  # type: ignore[misc]


@child_work()
def link(folder: Path, target: Path, notify: Notify) -> list[str]:
    return [
        attempt(lambda: os.symlink(target, folder / "symbolic")),
        attempt(lambda: os.link(target, folder / "hard")),
        attempt(lambda: os.mkfifo(folder / "pipe")),
        attempt(lambda: os.rename(target, folder / "moved")),
    ]


@child_work()
def surroundings(notify: Notify) -> list[str]:
    """Environment, memory and open files, as far as they can be seen."""
    found = [f"{name}={value}" for name, value in os.environ.items()]
    found += [
        Path("/proc/self/environ").read_text().replace("\0", " "),
        Path("/proc/self/cmdline").read_text().replace("\0", " "),
    ]
    found += [attempt(Path(f"/proc/{os.getppid()}/environ").read_bytes)]
    return [*found, *(f"fd {number}" for number in os.listdir("/proc/self/fd"))]


@child_work()
def start_programs(notify: Notify) -> list[str]:
    return [
        attempt(lambda: os.execv("/bin/sh", ["sh", "-c", "true"])),
        attempt(lambda: subprocess.run(["/bin/true"], check=False)),
        attempt(lambda: os.posix_spawn("/bin/true", ["true"], {})),
        attempt(os.fork),
        attempt(lambda: os.kill(os.getppid(), signal.SIGTERM)),
        attempt(lambda: os.kill(1, 0)),
    ]


@child_work()
def use_threads(notify: Notify) -> int:
    done: list[int] = []
    threads = [threading.Thread(target=done.append, args=(1,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(done)


def say(content: bytes, kind: int = DONE) -> None:
    """As an attacker would, past everything that this side checks."""
    pipe = socket.socket(fileno=os.dup(3))
    send_message(pipe, kind, content)
    os._exit(0)


@child_work(news=Declared)
def answer_strangely(name: str, notify: Notify) -> Declared:
    raw = socket.socket(fileno=os.dup(3))
    if name == "endless length":
        raw.sendall(struct.pack("<BQ", DONE, 1 << 62))
    elif name == "no known kind":
        raw.sendall(struct.pack("<BQ", FAILED + 1, 1) + b"x")
    elif name == "half a message":
        raw.sendall(struct.pack("<BQ", DONE, 100) + b"{")
    else:
        say(STRANGE[name])
    os._exit(0)


STRANGE = {
    "a pickle that runs a program": b"cposix\nsystem\n(S'touch /tmp/owned'\ntR.",
    "no JSON": b"{",
    "not UTF-8": b'{"count": 1, "name": "\xff"}',
    "another type": b"[1, 2]",
    "a field of another type": b'{"count": "1"}',
    "a number that is no integer": b'{"count": 1.5}',
    "an integer beyond 64 bits": b'{"count": 9223372036854775808}',
    "no number": b'{"count": NaN}',
    "a field is missing": b'{"name": "x"}',
    "a NUL in a text": b'{"count": 1, "name": "a\\u0000b"}',
    "half a surrogate pair": b'{"count": 1, "name": "\\ud800"}',
    "very deep": b'{"count": ' + b"[" * 40_000 + b"]" * 40_000 + b"}",
    "nothing": b"",
}


@child_work(news=Declared)
def tell_strangely(notify: Notify) -> Declared:
    pipe = socket.socket(fileno=os.dup(3))
    send_message(pipe, 1, b'{"count": "many"}')
    time.sleep(30)
    return Declared(1)


@child_work()
def refuse_at_length(notify: Notify) -> None:
    say("é\0\ud800".encode("utf-8", "surrogatepass") * 20_000, UNREADABLE)


@child_work(news=Declared)
def flood(notify: Notify) -> Declared:
    for number in range(20_000):
        notify(Declared(number))
    return Declared(20_000)


@child_work()
def sleep(notify: Notify) -> None:
    Path(os.environ["TMPDIR"], "left-behind").write_bytes(b"secret")
    time.sleep(60)


@child_work()
def leave_program(mark: str, notify: Notify) -> None:
    """Only a child that may start programs has a starter; what that starts must not outlive the child."""
    run_program(f"sleep 60 # {mark}")


@child_work()
def hear_program(script: str, notify: Notify) -> str:
    program, output = run_program(script)
    said = os.read(output, 4096).decode()
    return f"{said.strip()} {program.end(kill=False)}"


def run_program(script: str) -> tuple[Running, int]:
    scratch = os.environ["TMPDIR"]
    nothing = os.open(os.devnull, os.O_RDWR)
    output, its_output = os.pipe()
    environment = {"PATH": "/usr/bin:/bin"}
    wanted = Run(("/bin/sh", "-c", script), environment, scratch, 20, 256 << 20, 1 << 20)
    program = start_program(wanted, (nothing, its_output, nothing))
    os.close(its_output)
    return program, output


@child_work()
def allocate(count: int, notify: Notify) -> int:
    return len(b"x" * count)


WORKS = (
    connect, read, write, link, surroundings, start_programs, use_threads, answer_strangely, tell_strangely,
    refuse_at_length, flood, sleep, leave_program, hear_program, allocate,
)  # fmt: skip


@pytest.fixture(scope="module")
def pool() -> Iterator[ChildPool]:
    os.environ["STALLSCOPE_DATABASE_URL"] = SECRET
    try:
        pool = ChildPool(1, LIMITS, works=WORKS)
        pool.start()
        yield pool
        pool.close()
    finally:
        del os.environ["STALLSCOPE_DATABASE_URL"]


def run(pool: ChildPool, work: Any, *arguments: object, access: Access = Access()) -> Any:  # noqa: B008
    return pool.run(work, arguments, notify=lambda news: None, is_wanted=lambda: True, access=access)


@pytest.mark.promise("A child that reads an upload cannot open a connection, not even to this machine.")
@pytest.mark.parametrize("may_start_programs", [False, True])
def test_no_network(pool: ChildPool, may_start_programs: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        access = Access(may_start_programs=may_start_programs)
        assert set(run(pool, connect, server.getsockname()[1], access=access)) == {"PermissionError"}


@pytest.mark.promise("A child reads the file of its own work and the program, and no other file.")
@pytest.mark.parametrize("may_start_programs", [False, True])
def test_no_foreign_file(pool: ChildPool, tmp_path: Path, may_start_programs: bool) -> None:
    for name in ("mine", "another", "stallscope.sqlite"):
        (tmp_path / name).write_bytes(b"1")
    denied = [tmp_path / "another", tmp_path / "stallscope.sqlite", Path("/etc/passwd"), Path("/etc/hosts")]
    denied += [Path(f"/proc/{os.getpid()}/environ"), Path(f"/proc/{os.getpid()}/maps")]
    access = Access(read=(tmp_path / "mine",), may_start_programs=may_start_programs)
    first, *others = run(pool, read, [tmp_path / "mine", *denied], access=access)
    assert first == "done: b'1'"
    assert set(others) == {"PermissionError"}


@pytest.mark.promise("A child writes into the folder of its own work alone.")
def test_no_foreign_folder(pool: ChildPool, tmp_path: Path) -> None:
    mine, other, stored = tmp_path / "mine", tmp_path / "other", tmp_path / "stored"
    mine.mkdir()
    other.mkdir()
    stored.write_bytes(b"as uploaded")
    paths = [mine / "a", other / "a", stored, Path("/tmp/stallscope-test-escape"), Path("/dev/shm/escape")]
    first, *rest = run(pool, write, paths, access=Access(read=(stored,), write=(mine,)))
    assert first.startswith("done")
    assert set(rest) == {"PermissionError"}
    assert stored.read_bytes() == b"as uploaded"


@pytest.mark.promise("A child cannot leave a link or a pipe that leads a later reader out of its folder.")
def test_no_links(pool: ChildPool, tmp_path: Path) -> None:
    mine, stored = tmp_path / "mine", tmp_path / "stored"
    mine.mkdir()
    stored.write_bytes(b"as uploaded")
    said = run(pool, link, mine, stored, access=Access(read=(stored,), write=(mine,)))
    assert not any(each.startswith("done") for each in said)
    assert list(mine.iterdir()) == []


@pytest.mark.promise(
    "A child has no secret of the server: not in its environment, its command line or open files."
)
def test_nothing_is_inherited(pool: ChildPool) -> None:
    said = run(pool, surroundings)
    assert not any("planted-secret" in each or "STALLSCOPE_" in each for each in said)
    # /dev/null three times, the pipe, and the folder that is being listed
    assert sorted(each for each in said if each.startswith("fd ")) == [f"fd {n}" for n in range(5)]


@pytest.mark.promise(
    "A child that decodes cannot start a program, become one, fork, or signal another process."
)
def test_no_programs(pool: ChildPool) -> None:
    assert set(run(pool, start_programs)) == {"PermissionError"}
    assert run(pool, use_threads) == 8


@pytest.mark.promise("What a child says is believed only in the declared form, and never executed.")
@pytest.mark.parametrize("name", [*STRANGE, "no known kind", "half a message", "endless length"])
def test_strange_answers(pool: ChildPool, name: str) -> None:
    with pytest.raises((ChildDied, TooCostly)) as raised:
        run(pool, answer_strangely, name)
    assert str(raised.value).endswith(".")
    assert run(pool, use_threads) == 8


def test_strange_news_end_the_child(pool: ChildPool) -> None:
    with pytest.raises(ChildDied, match="no known form"):
        run(pool, tell_strangely)


def test_sentences_of_a_child_are_cut_and_are_text(pool: ChildPool) -> None:
    with pytest.raises(TooCostly, match="child_answer_bytes"):
        run(pool, refuse_at_length)


def test_many_news_are_told_seldom_and_the_last_one_always(pool: ChildPool) -> None:
    told: list[Any] = []
    began = time.monotonic()
    assert pool.run(flood, (), notify=told.append, is_wanted=lambda: True) == Declared(20_000)
    assert told[-1] == Declared(19_999)
    assert len(told) <= 2 + (time.monotonic() - began) / 0.05


@pytest.mark.promise("Temporary files of a child go with it, also when it is killed.")
def test_temporary_files_go_with_a_killed_child(pool: ChildPool, tmp_path: Path) -> None:
    def is_wanted() -> bool:
        return not list(tmp_path.glob("scratch-*/left-behind"))

    with pytest.raises(Cancelled):
        pool.run(sleep, (), notify=print, is_wanted=is_wanted, access=Access(write=(tmp_path,)))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.promise("Whatever a child started is dead before its answer is used.")
def test_no_process_is_left(pool: ChildPool) -> None:
    mark = f"stallscope-test-{os.getpid()}"
    run(pool, leave_program, mark, access=Access(may_start_programs=True))
    assert mark.encode() not in b"".join(map(command_line, Path("/proc").glob("[0-9]*")))


def command_line(process: Path) -> bytes:
    try:
        return (process / "cmdline").read_bytes()
    except OSError:  # it ended just now
        return b""


@pytest.mark.promise(
    "No process that reads an upload can start another one: not a child, nor a program that it runs."
)
def test_no_process_doubles_itself(pool: ChildPool) -> None:
    access = Access(may_start_programs=True)
    assert set(run(pool, start_programs, access=access)) == {"PermissionError"}
    assert run(pool, hear_program, "echo alone", access=access) == "alone 0"
    bomb = run(pool, hear_program, "bomb() { bomb | bomb & }; bomb; echo doubled", access=access)
    assert "doubled" not in bomb
    assert bomb != " 0"


def test_memory_beyond_the_limit(pool: ChildPool) -> None:
    assert run(pool, allocate, 100 << 20) == 100 << 20
    with pytest.raises(TooCostly, match="more than 512 MiB of memory, the limit child_memory_bytes"):
        run(pool, allocate, 600 << 20)


def test_only_work_of_the_table_is_given(pool: ChildPool) -> None:
    with pytest.raises(KeyError):
        run(pool, json.loads, "1")
    with pytest.raises(KeyError):
        ChildPool(1, works=(json.loads,))


def test_a_launcher_that_was_killed_is_started_again(pool: ChildPool) -> None:
    assert pool._launcher is not None
    pool._launcher._process.kill()
    pool._launcher._process.wait()
    assert run(pool, use_threads) == 8
