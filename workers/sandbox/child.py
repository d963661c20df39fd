"""A child: takes one order, gives up what it does not need for it, works, answers and ends."""

from __future__ import annotations

import errno
import os
import resource
import socket
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter
from pydantic.dataclasses import dataclass

from backend.disk_space import FULL, is_disk_full
from backend.errors import StallscopeError, TooCostly
from backend.limits import Limits
from workers.confinement.kernel import count_threads_apart, drop_capabilities, threads_counted
from workers.confinement.landlock import READ, RUN, WRITE, restrict_files
from workers.confinement.programs import use_starter
from workers.confinement.seccomp import forbid_system_calls
from workers.confinement.trial import confinement
from workers.sandbox.messages import (
    DONE,
    FAILED,
    NEWS,
    TOO_COSTLY,
    UNREADABLE,
    read_message,
    send_message,
)
from workers.sandbox.program_folders import folders_of_programs
from workers.sandbox.works import Access, work_named
from workers.where_it_failed import where_it_failed

_MOST_THREADS: Final = 1024
_MOST_FILES: Final = 4096
_SYSTEM_FILES: Final = (
    "/etc/ld.so.cache", "/etc/localtime", "/etc/wireshark", "/etc/ssl/openssl.cnf", "/dev/urandom", "/dev/random",
    "/proc/cpuinfo", "/proc/meminfo", "/proc/self",
)  # fmt: skip


@dataclass(frozen=True)
class Order:
    """What a child is to do."""

    work: str
    """A name of the pool's table."""
    arguments: str
    """JSON, in the types of that work."""
    access: Access
    limits: Limits
    hidden: tuple[Path, ...] = ()
    """What no child reads, should it lie among the programs: data and secrets of the server."""


ORDERS: Final = TypeAdapter(Order)


def live(pipe: socket.socket) -> None:
    """The whole life of a child."""
    _, content = read_message(pipe, sys.maxsize)
    order: Order = ORDERS.validate_json(content)
    count_threads_apart()
    drop_capabilities()
    _set_limits(order.limits)
    if order.access.may_start_programs:
        use_starter(lambda: confine(order.access, order.hidden, may_fork=True), to_close=[pipe.fileno()])
    confine(order.access, order.hidden, may_fork=False)
    kind, answer = _attempt(order, pipe)
    send_message(pipe, kind, answer)
    os._exit(0)


def confine(access: Access, hidden: Sequence[Path] = (), *, may_fork: bool) -> None:
    """From now on: the program, the files of this work, and no system call that reaches further.

    Of these what the launcher found to work; the worker says at its start what is missing. A refusal ends the child."""
    scratch = access.scratch
    if scratch is not None:
        os.environ["HOME"] = os.environ["TMPDIR"] = tempfile.tempdir = str(scratch)
    if confinement().landlock:
        programs = RUN if may_fork else READ
        rules = [(each, programs) for each in folders_of_programs(hidden)]
        rules += [
            (Path(each), READ) for each in (*_SYSTEM_FILES, os.environ.get("NUMBA_CACHE_DIR", "/dev/null"))
        ]
        rules += [(each, READ) for each in access.read]
        rules += [
            (each, WRITE) for each in (Path(os.devnull), *access.write, *([scratch] if scratch else []))
        ]
        restrict_files(rules)
    if confinement().seccomp:
        forbid_system_calls(may_start_programs=may_fork)


def _set_limits(limits: Limits) -> None:
    for kind, most, spare in (
        (resource.RLIMIT_DATA, limits.child_memory_bytes, 0),
        (resource.RLIMIT_FSIZE, limits.child_file_bytes, 0),
        # The first signal decides the reason; whoever ignores it is killed a little later.
        (resource.RLIMIT_CPU, limits.child_cpu_s, 5),
        (resource.RLIMIT_NOFILE, _MOST_FILES, 0),
        (resource.RLIMIT_NPROC, _MOST_THREADS + threads_counted(), 0),
        (resource.RLIMIT_CORE, 0, 0),
    ):
        hard = resource.getrlimit(kind)[1]
        highest = sys.maxsize if hard == resource.RLIM_INFINITY else hard
        resource.setrlimit(kind, (min(most, highest), min(most + spare, highest)))


def _attempt(order: Order, pipe: socket.socket) -> tuple[int, bytes]:
    limits = order.limits
    memory = needs(f"more than {limits.child_memory_bytes >> 20:,} MiB of memory", "child_memory_bytes")
    try:
        work = work_named(order.work)

        def notify(news: object) -> None:
            send_message(pipe, NEWS, work.news_type.dump_json(news))

        arguments: Any = work.arguments.validate_json(order.arguments)
        return DONE, work.answer.dump_json(work.function(*arguments, notify), warnings="error")
    except TooCostly as error:
        return TOO_COSTLY, error.sentence.encode("utf-8", "replace")
    except StallscopeError as error:
        return UNREADABLE, error.sentence.encode("utf-8", "replace")
    except MemoryError:
        return TOO_COSTLY, memory.encode()
    except Exception as error:
        return _refused(error, memory, limits) or (FAILED, where_it_failed(error).encode("utf-8", "replace"))


def _refused(error: Exception, memory: str, limits: Limits) -> tuple[int, bytes] | None:
    """What the system did not give: memory (asked of mmap), a longer file, room on the disk."""
    number = error.errno if isinstance(error, OSError) else None
    if number == errno.ENOMEM:
        return TOO_COSTLY, memory.encode()
    if number == errno.EFBIG:
        return TOO_COSTLY, needs(too_large(limits), "child_file_bytes").encode()
    if is_disk_full(error):
        return UNREADABLE, f"{FULL}, so the results could not be written.".encode()
    return None


def needs(what: str, limit: str) -> str:
    """The sentence of a limit."""
    return f"Reading it needs {what}, the limit {limit}. Nothing of it was used."


def too_large(limits: Limits) -> str:
    """What is needed beyond the limit of one file."""
    return f"to write a file of more than {limits.child_file_bytes:,} bytes"
