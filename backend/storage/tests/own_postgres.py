"""A PostgreSQL of a test's own, which it may stop, start and let stand still."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest


class OwnPostgres:
    """A cluster in a folder of its own. PostgreSQL refuses to run as root, so then it runs as the user postgres."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self._programs = programs
        self._folder = folder
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port: int = free.getsockname()[1]
        self.url = f"postgresql+psycopg://stallscope@127.0.0.1:{self._port}/postgres"
        self._run("initdb", "-D", str(folder / "db"), "-U", "stallscope", "--auth=trust", "-E", "UTF8")

    def start(self) -> None:
        """Returns when it answers."""
        options = f"-p {self._port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self._folder}"
        self._run(
            "pg_ctl",
            "-D",
            str(self._folder / "db"),
            "-w",
            "-l",
            str(self._folder / "log"),
            "-o",
            options,
            "start",
        )

    def stop(self) -> None:
        """At once, as a crash does."""
        self._run("pg_ctl", "-D", str(self._folder / "db"), "-m", "immediate", "stop")

    def stand_still(self) -> None:
        """Its processes keep their sockets and do nothing."""
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """As if nothing had been."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        head = int((self._folder / "db" / "postmaster.pid").read_text().splitlines()[0])
        children = Path(f"/proc/{head}/task/{head}/children").read_text().split()
        for pid in (head, *map(int, children)):
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def _run(self, program: str, *arguments: str) -> None:
        user = "postgres" if os.getuid() == 0 else None
        subprocess.run(
            [str(self._programs / program), *arguments],
            check=True,
            user=user,
            cwd=self._folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


@contextmanager
def own_postgres() -> Iterator[OwnPostgres]:
    """Running; skips where PostgreSQL's programs are not installed."""
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not installed:
        pytest.skip("the programs of PostgreSQL are not installed")
    folder = Path(tempfile.mkdtemp(prefix="stallscope-postgres."))
    if os.getuid() == 0:
        os.chown(folder, pwd.getpwnam("postgres").pw_uid, -1)
    try:
        postgres = OwnPostgres(installed[-1].parent, folder)
        postgres.start()
        yield postgres
        with suppress(subprocess.CalledProcessError):
            postgres.go_on()
            postgres.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
