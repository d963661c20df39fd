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

from workers.confinement.kernel import leave_namespaces, never_gain_privileges
from workers.confinement.landlock import RUN, landlock_version, restrict_files
from workers.confinement.seccomp import forbid_system_calls, knows_this_machine

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

    @property
    def missing(self) -> tuple[str, ...]:
        """Names of what this machine refuses."""
        parts = (
            ("Landlock", self.landlock), ("seccomp", self.seccomp), ("network namespaces", self.namespaces),
        )  # fmt: skip
        return tuple(name for name, holds in parts if not holds)


@cache
def confinement() -> Confinement:
    """Tried at the first call, and known to every process forked after it."""
    return Confinement(
        landlock=_works(_install_landlock), seccomp=_works(_install_seccomp), namespaces=_works(_leave)
    )


def confinement_here() -> Confinement:
    """The same for a process that has threads, which cannot be copied safely: a fresh interpreter tries it."""
    paths = json.dumps([each or str(Path.cwd()) for each in sys.path])
    try:
        asked = subprocess.run(
            [sys.executable, "-I", "-c", _ASK, paths],
            capture_output=True, text=True, check=True, timeout=_WITHIN_S,
        )  # fmt: skip
        return Confinement(**json.loads(asked.stdout))
    except (OSError, subprocess.SubprocessError, ValueError, TypeError):
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
