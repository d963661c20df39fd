"""The parent's side: starts the launcher, gives orders, and believes only what has the declared form."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeVar

from backend.disk_space import room_at
from backend.errors import Cancelled, TooCostly, UnreadableInput
from backend.limits import Limits
from workers.sandbox.child import ORDERS, Order, needs, too_large
from workers.sandbox.messages import (
    DONE,
    FAILED,
    NEWS,
    ORDER,
    TOO_COSTLY,
    UNREADABLE,
    MessageReader,
    NotAMessage,
    TooLong,
    send_message,
)
from workers.sandbox.turns import Turns
from workers.sandbox.works import (
    Access,
    Notify,
    Work,
    WrongAnswer,
    name_of,
    read_declared,
    read_text,
    work_named,
)

LOOK_EVERY_S: Final = 0.1
STOP_AFTER_S: Final = 2.0
NEWS_EVERY_S: Final = 0.05
"""What is reported more often is left out but for the last: each costs the parent a change of the database."""
_CLOCK_FACTOR: Final = 10
"""Seconds by the clock for each allowed second of processor time: a loaded machine is slow, a sleeping child is not."""
_LONGEST_SENTENCE: Final = 4096
_LONGEST_TRACE: Final = 64 << 10
_ENVIRONMENT: Final = ("PATH", "LD_LIBRARY_PATH", "LANG", "TZ")
_BOOT: Final = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]); "
    "from workers.sandbox.launcher import main; main(sys.argv[2:])"
)

Answer = TypeVar("Answer")


class ChildDied(Exception):  # noqa: N818 (it says what happened)
    """The child ended in the middle of its work (a crash of native code, or the system's lack of memory), or said
    what no child of ours says."""

    def __init__(self, sentence: str, ended_by: signal.Signals | None = None) -> None:
        super().__init__(sentence)
        self.ended_by = ended_by


@dataclass(frozen=True)
class Costs:
    """Of one piece of work: who waits for it, and how large it is."""

    owner: str = ""
    """Owners get children in turn."""
    is_small: bool = False
    cpu_s: int | None = None
    """Less than the pool's limit."""


class ChildPool:
    """At most `size` children at a time, and with `quick` one more for small work; `run` waits for its turn."""

    def __init__(
        self,
        size: int,
        limits: Limits = Limits(),  # noqa: B008 - frozen
        *,
        works: Iterable[Callable[..., object]],
        prepare: Iterable[Callable[[], object]] = (),
        quick: bool = False,
        hidden: Iterable[Path] = (),
    ) -> None:
        """`works` are all that its children can be asked to do; `prepare` is called once, before the first child;
        `hidden` are data and secrets that no child reads, wherever they lie."""
        self.limits = limits
        self._hidden = tuple(hidden)
        self._works: dict[str, Work] = {name_of(each): work_named(name_of(each)) for each in works}
        modules = dict.fromkeys(f"{work.function.__module__}:" for work in self._works.values())
        self._prepare = [*modules, *(name_of(each) for each in prepare)]
        self._turns = Turns(size, quick=quick)
        # "Die with your parent" means the parent's *thread*: one thread that lives on starts the launcher.
        self._starter = ThreadPoolExecutor(1, thread_name_prefix="child-starter")
        self._lock = threading.Lock()
        self._launcher: _Launcher | None = None
        self._closing = threading.Event()

    def start(self) -> None:
        """Start the launcher, so that the first work need not wait for it."""
        with self._lock:
            self._launcher = self._launcher or self._starter.submit(_Launcher, self._prepare).result()

    def run(
        self,
        work: Callable[..., Answer],
        arguments: tuple[object, ...],
        *,
        notify: Notify,
        is_wanted: Callable[[], bool],
        access: Access = Access(),  # noqa: B008 - frozen
        costs: Costs = Costs(),
    ) -> Answer:
        """`work(*arguments, notify)` in a child; `is_wanted` is asked ten times a second.

        Raises Cancelled, UnreadableInput as the work raised it, TooCostly, ChildDied, or RuntimeError for a bug.
        """
        registered = self._works[name_of(work)]
        cpu_s = min(self.limits.child_cpu_s, costs.cpu_s or self.limits.child_cpu_s)
        limits = replace(self.limits, child_cpu_s=cpu_s)
        with (
            self._turns.turn(costs.owner, is_small=costs.is_small, is_wanted=is_wanted),
            _scratch(access) as scratch,
        ):
            order = Order(
                name_of(work),
                registered.arguments.dump_json(arguments, warnings="error").decode(),
                replace(access, scratch=scratch),
                limits,
                self._hidden,
            )
            try:
                answer: Answer = _Conversation(registered, limits, *self._child()).hold(
                    order, notify, is_wanted
                )
                _refuse_strange_files(access.write)
            except ChildDied:
                self._hold_while_closing()
                raise
            return answer

    def _child(self) -> tuple[socket.socket, socket.socket]:
        """(pipe, watch) of a new child."""
        with self._lock:
            if self._launcher is not None and (child := self._launcher.fork()):
                return child
            if self._launcher is not None:
                self._launcher.close()
            self._launcher = self._starter.submit(_Launcher, self._prepare).result()
            child = self._launcher.fork()
            if child is None:
                raise ChildDied(
                    "The process that starts the others cannot be started; the worker's log says why."
                )
            return child

    def _hold_while_closing(self) -> None:
        # A child that died because we are leaving did not fail. Its job must not end in a verdict: it stays
        # unfinished, for the next worker. This thread goes with the process.
        if self._closing.is_set():
            threading.Event().wait()

    def close(self) -> None:
        """End all children; who waits in `run` waits until the process ends."""
        self._closing.set()
        with self._lock:
            if self._launcher is not None:
                self._launcher.close()
        self._starter.shutdown(wait=False)


class _Launcher:
    def __init__(self, prepare: list[str]) -> None:
        self._orders, theirs = socket.socketpair()
        paths = json.dumps([each or str(Path.cwd()) for each in sys.path])
        self._process = subprocess.Popen(
            [
                sys.executable, "-I", "-c", _BOOT, paths, str(os.getpid()), str(theirs.fileno()), *prepare
            ],
            pass_fds=(theirs.fileno(),), env=_environment(), cwd="/", stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
        theirs.close()

    def fork(self) -> tuple[socket.socket, socket.socket] | None:
        """(pipe, watch) of a new child; None when the launcher is no more."""
        pipe, its_pipe = socket.socketpair()
        watch, its_watch = socket.socketpair()
        try:
            if self._process.poll() is None:
                socket.send_fds(self._orders, [b"+"], [its_pipe.fileno(), its_watch.fileno()])
                return pipe, watch
        except OSError:
            pass
        finally:
            its_pipe.close()
            its_watch.close()
        pipe.close()
        watch.close()
        return None

    def close(self) -> None:
        self._orders.close()
        self._process.kill()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(STOP_AFTER_S)


def _environment() -> dict[str, str]:
    """Nothing of ours but what finds programs and machine code: no address of a database, no token."""
    chosen = {
        name: value for name, value in os.environ.items() if name in _ENVIRONMENT or name.startswith("NUMBA_")
    }
    # OpenBLAS asks for the buffers of its threads for ever when there is no memory left for them; and a launcher
    # with threads could not fork.
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {**chosen, **threads, "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"}


class _Conversation:
    """With one child, from its order to its end."""

    def __init__(self, work: Work, limits: Limits, pipe: socket.socket, watch: socket.socket) -> None:
        self._work = work
        self._limits = limits
        self._pipe = pipe
        self._watch = watch
        self._reader = MessageReader(limits.child_answer_bytes)
        self._news: bytes | None = None
        self._notified_at = 0.0
        self._until = time.monotonic() + _CLOCK_FACTOR * limits.child_cpu_s

    def hold(self, order: Order, notify: Notify, is_wanted: Callable[[], bool]) -> Any:
        try:
            with suppress(BrokenPipeError, ConnectionResetError):
                send_message(self._pipe, ORDER, ORDERS.dump_json(order))
            while (ended := self._listen(notify)) is None:
                if not is_wanted():
                    raise Cancelled
                self._require_room(order.access)
                if time.monotonic() > self._until:
                    raise TooCostly(_too_slow(self._limits))
            return self._judge(*ended)
        except TooLong:
            limit = self._limits.child_answer_bytes
            raise TooCostly(needs(f"an answer of more than {limit:,} bytes", "child_answer_bytes")) from None
        except (NotAMessage, WrongAnswer):
            raise ChildDied(
                "The process that did the work gave an answer of no known form, and was ended."
            ) from None
        finally:
            self._end()

    def _require_room(self, access: Access) -> None:
        """Asked here, because a child may be anybody's: the limit of one file bounds no number of files."""
        for folder in filter(Path.is_dir, access.write):
            lack = room_at(folder, self._limits.disk_reserve_bytes).lack_for_work()
            if lack:
                raise UnreadableInput(f"{lack} Nothing of it was kept. Free space, then try again.")

    def _listen(self, notify: Notify) -> tuple[int, bytes] | None:
        """The last message, or the child's end; None as long as there is neither."""
        if select.select([self._pipe], [], [], LOOK_EVERY_S)[0]:
            try:
                is_open = self._reader.take(self._pipe)
            except ConnectionResetError:
                is_open = False
            while message := self._reader.next():
                if message[0] != NEWS:
                    self._notify(notify)
                    return message
                self._news = message[1]
            if not is_open:
                raise self._end_of_child()
        if time.monotonic() - self._notified_at >= NEWS_EVERY_S:
            self._notify(notify)
        return None

    def _notify(self, notify: Notify) -> None:
        if self._news is not None:
            notify(read_declared(self._work.news_type, self._news))
            self._news, self._notified_at = None, time.monotonic()

    def _judge(self, kind: int, content: bytes) -> Any:
        if kind == DONE:
            return read_declared(self._work.answer, content)
        if kind == UNREADABLE:
            raise UnreadableInput(read_text(content, _LONGEST_SENTENCE))
        if kind == TOO_COSTLY:
            raise TooCostly(read_text(content, _LONGEST_SENTENCE))
        if kind == FAILED:
            raise RuntimeError(read_text(content, _LONGEST_TRACE))
        raise NotAMessage

    def _end_of_child(self) -> Exception:
        self._watch.settimeout(STOP_AFTER_S)
        try:
            signal = self._watch.recv(16)
        except OSError:
            signal = b""
        return _end_of_child(int(signal) if signal else None, self._limits)

    def _end(self) -> None:
        """The child is gone when this returns: nobody uses its folders while it still writes there."""
        self._pipe.close()
        with suppress(OSError):
            self._watch.shutdown(socket.SHUT_WR)
            self._watch.settimeout(STOP_AFTER_S)
            self._watch.recv(16)
        self._watch.close()


def _too_slow(limits: Limits) -> str:
    return needs(f"more than {_CLOCK_FACTOR * limits.child_cpu_s:,} s by the clock", "child_cpu_s")


def _end_of_child(exit_code: int | None, limits: Limits) -> Exception:
    """Why a child is no more, as far as its exit code shows."""
    if exit_code == -signal.SIGXCPU:
        return TooCostly(needs(f"more than {limits.child_cpu_s:,} s of processor time", "child_cpu_s"))
    if exit_code == -signal.SIGXFSZ:
        return TooCostly(needs(too_large(limits), "child_file_bytes"))
    if exit_code is None:
        return ChildDied("The process that did the work ended, and the one that started it, too.")
    ended_by = signal.Signals(-exit_code) if exit_code < 0 else None
    named = ended_by.name if ended_by else f"exit code {exit_code}"
    return ChildDied(f"The process that did the work ended ({named}).", ended_by)


@contextmanager
def _scratch(access: Access) -> Iterator[Path]:
    """Temporary files of a child lie in its folder, and go with the child, however it ends."""
    folder = Path(tempfile.mkdtemp(prefix="scratch-", dir=access.write[0] if access.write else None))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _refuse_strange_files(folders: Iterable[Path]) -> None:
    """A link that a child left in its folder would lead whoever reads there later out of it. Raises ChildDied."""
    strange = [
        path
        for folder in folders
        for parent, folders_in, files in os.walk(folder)
        for path in (Path(parent, name) for name in (*folders_in, *files))
        if path.is_symlink() or not (path.is_dir() or path.is_file())
    ]
    for path in strange:
        path.unlink()
    if strange:
        raise ChildDied("The process that did the work left something that is no plain file.")
