"""Programs that a confined process may start: itself, or through a starter that was forked before it read anything.

The starter lets a process that reads hostile bytes give up forking altogether: it can ask for one more run of an
installed program, confined like itself, after the last one has ended, and for nothing else."""

from __future__ import annotations

import json
import os
import resource
import socket
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Final, NoReturn, Protocol

from workers.confinement.kernel import become_real_user, die_with_parent, never_gain_privileges
from workers.confinement.seccomp import forbid_processes
from workers.confinement.trial import confinement

_MESSAGE_BYTES: Final = 128 << 10
_END, _KILL = b"end", b"kill"


@dataclass(frozen=True)
class Run:
    """One run of a program."""

    command: Sequence[str]
    environment: Mapping[str, str]
    folder: str
    cpu_s: int
    memory_bytes: int
    file_bytes: int


class Running(Protocol):
    """A program that was started."""

    def end(self, *, kill: bool) -> int:
        """Kill it, or give it as long as it may compute; its exit code."""


_starter: list[socket.socket] = []
"""Of this process; empty where it starts programs itself."""


def start_program(run: Run, streams: tuple[int, int, int]) -> Running:
    """With these descriptors as input, output and errors. Raises OSError."""
    return _Asked(_starter[0], run, streams) if _starter else _Own(run, streams)


def use_starter(confine: Callable[[], None], to_close: Sequence[int]) -> None:
    """Fork the starter of this process, which must be single-threaded; the copy confines itself."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    process = os.getpid()
    if os.fork() == 0:
        try:
            die_with_parent(process)
            for number in to_close:
                os.close(number)
            ours.close()
            confine()
            _serve(theirs)
        finally:
            os._exit(1)
    theirs.close()
    _starter[:] = [ours]


def _serve(asked: socket.socket) -> NoReturn:
    while True:
        message, streams, _, _ = socket.recv_fds(asked, _MESSAGE_BYTES, 3)
        if not message:
            os._exit(0)
        try:
            program = _Own(Run(**json.loads(message)), (streams[0], streams[1], streams[2]))
        except OSError as error:
            asked.send(json.dumps({"error": error.errno}).encode())
            continue
        finally:
            for number in streams:
                os.close(number)
        asked.send(b"{}")
        code = program.end(kill=asked.recv(16) != _END)
        asked.send(json.dumps({"code": code}).encode())


class _Asked:
    def __init__(self, starter: socket.socket, run: Run, streams: tuple[int, int, int]) -> None:
        self._starter = starter
        socket.send_fds(starter, [json.dumps(asdict(run)).encode()], streams)
        error = json.loads(starter.recv(_MESSAGE_BYTES)).get("error")
        if error:
            raise OSError(error, os.strerror(error), run.command[0])

    def end(self, *, kill: bool) -> int:
        self._starter.send(_KILL if kill else _END)
        code: int = json.loads(self._starter.recv(_MESSAGE_BYTES))["code"]
        return code


class _Own:
    def __init__(self, run: Run, streams: tuple[int, int, int]) -> None:
        parent, filters = os.getpid(), confinement().seccomp

        def limit() -> None:
            become_real_user()
            die_with_parent(parent)
            _set_limits(run)
            if filters:
                never_gain_privileges()
                forbid_processes()

        self._cpu_s = run.cpu_s
        self._process = subprocess.Popen(
            run.command, stdin=streams[0], stdout=streams[1], stderr=streams[2], env=run.environment, cwd=run.folder,
            preexec_fn=limit,  # noqa: PLW1509 - the process that calls this has one thread
        )  # fmt: skip

    def end(self, *, kill: bool) -> int:
        if not kill:
            try:
                return self._process.wait(timeout=self._cpu_s)
            except subprocess.TimeoutExpired:
                pass
        self._process.kill()
        return self._process.wait()


def _set_limits(run: Run) -> None:
    for kind, most in (
        (resource.RLIMIT_CPU, run.cpu_s),
        (resource.RLIMIT_DATA, run.memory_bytes),
        (resource.RLIMIT_FSIZE, run.file_bytes),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(kind)[1]
        least = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (least, least))
