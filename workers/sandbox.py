"""Child processes that work on uploads: spawned, never forked; they die with their parent and can be killed.

A child keeps its warm imports and takes one piece of work after another. Work that is called off, or that
takes its child down, costs that child; a new one is started for the next piece.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import queue
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from typing import Any, Final, Literal, NamedTuple, TypeVar

from backend.errors import Cancelled, StallscopeError, UnreadableInput

PR_SET_PDEATHSIG: Final = 1
LOOK_EVERY_S: Final = 0.1
STOP_AFTER_S: Final = 2.0

Answer = TypeVar("Answer")
Tell = Callable[[object], None]


class _Message(NamedTuple):
    kind: Literal["told", "done", "unreadable", "failed"]
    content: Any


class ChildDied(Exception):  # noqa: N818 (it says what happened)
    """The child ended in the middle of its work (memory, a crash of native code)."""


class ChildPool:
    """At most `size` children; `run` waits for a free one."""

    def __init__(self, size: int) -> None:
        self._context = multiprocessing.get_context("spawn")
        self._free: queue.LifoQueue[_Child | None] = queue.LifoQueue()
        for _ in range(size):
            self._free.put(None)
        # "Die with your parent" means the parent's *thread*: one thread that lives on starts all children.
        self._starter = ThreadPoolExecutor(1, thread_name_prefix="child-starter")
        self._closing = threading.Event()

    def run(
        self,
        work: Callable[..., Answer],
        arguments: tuple[object, ...],
        *,
        tell: Tell,
        is_wanted: Callable[[], bool],
    ) -> Answer:
        """`work(*arguments, tell)` in a child; `is_wanted` is asked ten times a second.

        Raises Cancelled, UnreadableInput as the work raised it, ChildDied, or RuntimeError for a bug.
        """
        child = self._free.get()
        if child is None or not child.is_alive():
            child = self._starter.submit(_Child, self._context).result()
        keep = False
        try:
            answer = child.run(work, arguments, tell=tell, is_wanted=is_wanted)
            keep = True
            return answer
        except (UnreadableInput, RuntimeError):
            keep = True
            raise
        except ChildDied:
            self._hold_while_closing()
            raise
        finally:
            if not keep:
                child.kill()
            self._free.put(child if keep else None)

    def _hold_while_closing(self) -> None:
        # A child that died because we are leaving did not fail. Its job must not end in a verdict: it stays
        # unfinished, for the next worker. This thread goes with the process.
        if self._closing.is_set():
            threading.Event().wait()

    def close(self) -> None:
        """End all children; who waits in `run` waits until the process ends."""
        self._closing.set()
        while True:
            try:
                child = self._free.get_nowait()
            except queue.Empty:
                break
            if child is not None:
                child.kill()
        self._starter.shutdown(wait=False)


class _Child:
    def __init__(self, context: multiprocessing.context.SpawnContext) -> None:
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_live, args=(theirs, os.getpid()), daemon=True)
        self._process.start()
        theirs.close()

    def is_alive(self) -> bool:
        return self._process.is_alive()

    def run(
        self,
        work: Callable[..., Answer],
        arguments: tuple[object, ...],
        *,
        tell: Tell,
        is_wanted: Callable[[], bool],
    ) -> Answer:
        try:
            self._pipe.send((work, arguments))
            while True:
                if self._pipe.poll(LOOK_EVERY_S):
                    message: _Message = self._pipe.recv()
                    if message.kind != "told":
                        return _outcome(message)  # type: ignore[no-any-return]
                    tell(message.content)
                if not is_wanted():
                    raise Cancelled
        except (EOFError, BrokenPipeError, ConnectionResetError):
            self._process.join(STOP_AFTER_S)
            raise ChildDied(
                f"The process that did the work ended (exit code {self._process.exitcode})."
            ) from None

    def kill(self) -> None:
        self._process.kill()
        self._process.join(STOP_AFTER_S)
        self._pipe.close()


def die_with_parent(parent_pid: int) -> None:
    """Make this process end when the thread that started it does, whatever ends that."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent_pid:
        os._exit(1)  # the parent went before the request above was made


def _outcome(message: _Message) -> Any:
    if message.kind == "done":
        return message.content
    if message.kind == "unreadable":
        raise UnreadableInput(message.content)
    raise RuntimeError(message.content)


def _live(pipe: Connection, parent_pid: int) -> None:
    die_with_parent(parent_pid)
    # Ctrl-C on the terminal reaches the whole group; the parent decides when the children end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.current_thread().name = "work"
    while True:
        try:
            work, arguments = pipe.recv()
        except EOFError:
            return
        pipe.send(_attempt(work, arguments, pipe))


def _attempt(work: Callable[..., object], arguments: tuple[object, ...], pipe: Connection) -> _Message:
    import traceback

    def tell(news: object) -> None:
        pipe.send(_Message("told", news))

    try:
        return _Message("done", work(*arguments, tell))
    except StallscopeError as error:
        return _Message("unreadable", error.sentence)
    except Exception:
        return _Message("failed", traceback.format_exc())
