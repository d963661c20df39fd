"""Child processes that work on uploads: spawned, never forked; they die with their parent and can be killed.

Each child has limits of memory, processor time and file size, and leaves no core file. What needs more ends
with a sentence that names the limit. A child keeps its warm imports and takes one piece of work after another.
Work that is called off, or that takes its child down, costs that child; a new one is started for the next piece.
"""

from __future__ import annotations

import ctypes
import errno
import multiprocessing
import os
import pickle
import queue
import resource
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from typing import Any, Final, Literal, NamedTuple, TypeVar

from backend.errors import Cancelled, StallscopeError, TooCostly, UnreadableInput
from backend.limits import Limits
from workers.where_it_failed import where_it_failed

PR_SET_PDEATHSIG: Final = 1
LOOK_EVERY_S: Final = 0.1
STOP_AFTER_S: Final = 2.0

Answer = TypeVar("Answer")
Tell = Callable[[object], None]


class _Message(NamedTuple):
    kind: Literal["told", "done", "unreadable", "too costly", "failed"]
    content: Any


class ChildDied(Exception):  # noqa: N818 (it says what happened)
    """The child ended in the middle of its work (a crash of native code, or the system's lack of memory)."""


class ChildPool:
    """At most `size` children; `run` waits for a free one."""

    def __init__(self, size: int, limits: Limits = Limits()) -> None:  # noqa: B008 - frozen
        self._limits = limits
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

        Raises Cancelled, UnreadableInput as the work raised it, TooCostly, ChildDied, or RuntimeError for a bug.
        """
        child = self._free.get()
        if child is None or not child.is_alive():
            child = self._starter.submit(_Child, self._context, self._limits).result()
        keep = False
        try:
            answer = child.run(work, arguments, tell=tell, is_wanted=is_wanted)
            keep = True
            return answer
        except TooCostly:
            raise  # its memory is in an unknown state
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
    def __init__(self, context: multiprocessing.context.SpawnContext, limits: Limits) -> None:
        self._limits = limits
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_live, args=(theirs, os.getpid(), limits), daemon=True)
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
                    message = self._receive()
                    if message.kind != "told":
                        return _outcome(message)  # type: ignore[no-any-return]
                    tell(message.content)
                if not is_wanted():
                    raise Cancelled
        except (EOFError, BrokenPipeError, ConnectionResetError):
            self._process.join(STOP_AFTER_S)
            raise _end_of_child(self._process.exitcode, self._limits) from None

    def _receive(self) -> _Message:
        limit = self._limits.child_answer_bytes
        try:
            answer = self._pipe.recv_bytes(limit)
        except EOFError:
            raise
        except OSError as error:
            if isinstance(error, ConnectionResetError):
                raise
            raise TooCostly(_needs(f"an answer of more than {limit:,} bytes", "child_answer_bytes")) from None
        message: _Message = pickle.loads(answer)
        return message

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
    if message.kind == "too costly":
        raise TooCostly(message.content)
    raise RuntimeError(message.content)


def _needs(what: str, limit: str) -> str:
    return f"Reading it needs {what}, the limit {limit}. Nothing of it was used."


def _end_of_child(exit_code: int | None, limits: Limits) -> Exception:
    """Why a child is no more, as far as its exit code tells."""
    if exit_code == -signal.SIGXCPU:
        return TooCostly(_needs(f"more than {limits.child_cpu_s:,} s of processor time", "child_cpu_s"))
    if exit_code == -signal.SIGXFSZ:
        return TooCostly(_needs(_too_large(limits), "child_file_bytes"))
    named = signal.Signals(-exit_code).name if exit_code is not None and exit_code < 0 else str(exit_code)
    return ChildDied(f"The process that did the work ended ({named}).")


def _too_large(limits: Limits) -> str:
    return f"to write a file of more than {limits.child_file_bytes:,} bytes"


def _set_limits(limits: Limits) -> None:
    for kind, most in (
        (resource.RLIMIT_DATA, limits.child_memory_bytes),
        (resource.RLIMIT_FSIZE, limits.child_file_bytes),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(kind)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (most, most))


def _allow_processor_time(limits: Limits) -> None:
    """From now on; the limit counts the whole life of a child, which may have worked on other files before."""
    used_s = resource.getrusage(resource.RUSAGE_SELF)
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    soft = int(used_s.ru_utime + used_s.ru_stime) + limits.child_cpu_s
    resource.setrlimit(
        resource.RLIMIT_CPU, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard)
    )


def _live(pipe: Connection, parent_pid: int, limits: Limits) -> None:
    die_with_parent(parent_pid)
    _set_limits(limits)
    # Ctrl-C on the terminal reaches the whole group; the parent decides when the children end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.current_thread().name = "work"
    # OpenBLAS asks for the buffers of its threads for ever when there is no memory left for them.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    while True:
        try:
            asked = pipe.recv_bytes()
        except EOFError:
            return
        _allow_processor_time(limits)
        pipe.send(_attempt(asked, pipe, limits))


def _attempt(asked: bytes, pipe: Connection, limits: Limits) -> _Message:
    memory = f"more than {limits.child_memory_bytes >> 20:,} MiB of memory"

    def tell(news: object) -> None:
        pipe.send(_Message("told", news))

    try:
        work, arguments = pickle.loads(asked)  # imports what the work needs, which takes memory, too
        return _Message("done", work(*arguments, tell))
    except StallscopeError as error:
        return _Message("unreadable", error.sentence)
    except MemoryError:
        return _Message("too costly", _needs(memory, "child_memory_bytes"))
    except OSError as error:
        return _refused(error, memory, limits) or _Message("failed", where_it_failed(error))
    except Exception as error:
        return _Message("failed", where_it_failed(error))


def _refused(error: OSError, memory: str, limits: Limits) -> _Message | None:
    """What the system did not give: memory (asked of mmap), a longer file, room on the disk."""
    if error.errno == errno.ENOMEM:
        return _Message("too costly", _needs(memory, "child_memory_bytes"))
    if error.errno == errno.EFBIG:
        return _Message("too costly", _needs(_too_large(limits), "child_file_bytes"))
    if error.errno == errno.ENOSPC:
        return _Message("unreadable", "The disk is full, so its tables could not be written.")
    return None
