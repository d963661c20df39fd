"""What of the confinement this machine really installs: a kernel may state a version and still refuse.

Each part is tried once, in a forked copy that ends; what is refused is done without, and shown to those who run the
product."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Final

from workers.confinement.kernel import (
    become_real_user,
    count_threads_apart,
    drop_capabilities,
    lacking_capabilities,
    leave_namespaces,
    never_gain_privileges,
    threads_are_counted,
)
from workers.confinement.landlock import RUN, landlock_version, restrict_files
from workers.confinement.seccomp import forbid_system_calls, knows_this_machine

THREAD_LIMIT: Final = "thread limit"
_WITHIN_S: Final = 60.0
_ASK: Final = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]); "
    "from workers.confinement.trial import say_confinement; say_confinement()"
)


@dataclass(frozen=True)
class Confinement:
    """What can be installed."""

    landlock: bool = False
    seccomp: bool = False
    namespaces: bool = False
    threads: bool = False
    """Threads of children, and of the programs that they run, are counted and so limited."""
    lacking: tuple[str, ...] = ()
    """Capabilities without which they are not."""

    @property
    def missing(self) -> tuple[str, ...]:
        """Names of what this machine refuses."""
        threads = f"{THREAD_LIMIT} ({' and '.join(self.lacking)})" if self.lacking else THREAD_LIMIT
        parts = (
            ("Landlock", self.landlock), ("seccomp", self.seccomp), ("network namespaces", self.namespaces),
            (threads, self.threads),
        )  # fmt: skip
        return tuple(name for name, holds in parts if not holds)


@cache
def confinement() -> Confinement:
    """Tried at the first call, and known to every process forked after it."""
    return Confinement(
        landlock=_works(_install_landlock), seccomp=_works(_install_seccomp), namespaces=_works(_leave),
        threads=_works(_count_threads), lacking=lacking_capabilities(),
    )  # fmt: skip


def confinement_here() -> Confinement:
    """The same for a process that has threads, which cannot be copied safely: a fresh interpreter tries it."""
    paths = json.dumps([each or str(Path.cwd()) for each in sys.path])
    try:
        asked = subprocess.run(
            [sys.executable, "-I", "-c", _ASK, paths],
            capture_output=True, text=True, check=True, timeout=_WITHIN_S,
        )  # fmt: skip
        found = json.loads(asked.stdout)
        return Confinement(**{**found, "lacking": tuple(found["lacking"])})
    except (OSError, subprocess.SubprocessError, ValueError, TypeError, KeyError):
        return Confinement()


def say_confinement() -> None:
    """What `confinement_here` runs."""
    sys.stdout.write(json.dumps(asdict(confinement())))


def _works(install: Callable[[], bool]) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", DeprecationWarning
        )  # of forking beside threads: the copy only calls the kernel
        copy = os.fork()
    if copy == 0:
        try:
            os._exit(0 if install() else 1)
        finally:
            os._exit(1)
    return os.waitpid(copy, 0)[1] == 0


def _install_landlock() -> bool:
    never_gain_privileges()
    if landlock_version() < 1:
        return False
    restrict_files([(Path("/usr"), RUN)])
    return True


def _install_seccomp() -> bool:
    never_gain_privileges()
    if not knows_this_machine():
        return False
    forbid_system_calls(may_start_programs=False)
    return True


def _leave() -> bool:
    never_gain_privileges()
    return leave_namespaces()


def _count_threads() -> bool:
    """As a child does, and then as a program that it starts."""
    never_gain_privileges()
    count_threads_apart()
    of_child = threads_are_counted()
    drop_capabilities()
    become_real_user()
    return of_child and threads_are_counted()
