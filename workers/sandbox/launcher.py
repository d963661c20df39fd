"""The process that forks children: it never reads a byte of an upload, and knows no secret.

Started as ``main`` in a fresh interpreter. On its socket the parent hands over, for each piece of work, one end of the
child's pipe and one end of a watch: the child's exit status goes there, and when the parent closes it the child is
killed."""

from __future__ import annotations

import gc
import importlib
import os
import resource
import select
import signal
import socket
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress

from workers.confinement.kernel import (
    adopt_orphans,
    die_with_parent,
    drop_capabilities,
    leave_namespaces,
    never_gain_privileges,
)
from workers.confinement.trial import confinement
from workers.garbage import collect_rarely, keep_freed_memory
from workers.sandbox.program_folders import all_folders
from workers.sandbox.works import build_adapters


def main(arguments: Sequence[str]) -> None:
    """`arguments`: parent's process, number of the socket, modules to import and functions to call before the
    first child."""
    parent, number, *prepare = arguments
    die_with_parent(int(parent))
    # Ctrl-C on the terminal reaches the whole group; the parent decides when the children end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    never_gain_privileges()
    confinement()  # tried before threads and imports; the children inherit the answer
    leave_namespaces()
    drop_capabilities(for_children=True)
    adopt_orphans()
    for name in prepare:
        module, _, function = name.partition(":")
        with suppress(Exception):  # what fails here fails again, and is reported, when a file comes
            found = importlib.import_module(module)
            if function:
                getattr(found, function)()
    build_adapters()
    all_folders()
    collect_rarely()
    keep_freed_memory()
    gc.freeze()  # the children share these pages as long as nobody writes to them
    Launcher(socket.socket(fileno=int(number))).serve()


class Launcher:
    """Forks, waits, kills."""

    def __init__(self, orders: socket.socket) -> None:
        self._orders = orders
        self._poll = select.poll()
        self._poll.register(orders, select.POLLIN)
        self._children: dict[int, tuple[int, socket.socket]] = {}
        """By the descriptor of the process: its number and its watch."""
        self._watches: dict[int, int] = {}
        """By the descriptor of the watch: the process."""

    def serve(self) -> None:
        """Until the parent closes the socket."""
        while True:
            for descriptor, _ in self._poll.poll():
                if descriptor == self._orders.fileno():
                    if not self._start():
                        self._end_all()
                        return
                elif descriptor in self._watches:
                    self._poll.unregister(descriptor)
                    os.kill(self._watches.pop(descriptor), signal.SIGKILL)
                elif descriptor in self._children:
                    self._bury(descriptor)

    def _start(self) -> bool:
        try:
            message, handed, _, _ = socket.recv_fds(self._orders, 1, 2)
        except OSError:
            return False
        if not message:
            return False
        pipe, watch = (socket.socket(fileno=number) for number in handed)
        process = os.fork()
        if process == 0:
            self._become_child(pipe)
        pipe.close()
        of_process = os.pidfd_open(process)
        self._children[of_process] = process, watch
        self._watches[watch.fileno()] = process
        self._poll.register(of_process, select.POLLIN)
        self._poll.register(watch, select.POLLIN)
        return True

    def _become_child(self, pipe: socket.socket) -> None:
        try:
            launcher = os.getppid()
            nothing = os.open(os.devnull, os.O_RDWR)
            for number in range(3):
                os.dup2(nothing, number)
            os.dup2(pipe.fileno(), 3)
            pipe.detach()
            os.closerange(4, os.sysconf("SC_OPEN_MAX"))
            die_with_parent(launcher)
            threading.current_thread().name = "work"
            from workers.sandbox.child import live

            live(socket.socket(fileno=3))
        finally:
            os._exit(1)

    def _bury(self, of_process: int) -> None:
        process, watch = self._children.pop(of_process)
        self._poll.unregister(of_process)
        os.close(of_process)
        _, status = os.waitpid(process, 0)
        if self._watches.pop(watch.fileno(), None) is not None:
            self._poll.unregister(watch)
        self._end_orphans()
        with suppress(OSError):
            watch.sendall(str(os.waitstatus_to_exitcode(status)).encode())
        watch.close()

    def _end_orphans(self) -> None:
        """What a child left behind became ours. It dies before anybody is informed that the work is over."""
        known = {process for process, _ in self._children.values()}
        while orphans := [each for each in _children_of(os.getpid()) if each not in known]:
            for orphan in orphans:
                os.kill(orphan, signal.SIGKILL)
                os.waitpid(orphan, 0)

    def _end_all(self) -> None:
        for process, _ in self._children.values():
            os.kill(process, signal.SIGKILL)


def _children_of(process: int) -> list[int]:
    found = []
    for name in os.listdir("/proc"):
        if name.isdecimal():
            with suppress(OSError, IndexError), open(f"/proc/{name}/stat", encoding="latin-1") as file:
                if int(file.read().rpartition(")")[2].split()[1]) == process:
                    found.append(int(name))
    return found


if __name__ == "__main__":
    main(sys.argv[1:])
