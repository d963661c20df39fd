"""``python -m workers.tests.refusing_kernel PART… -- COMMAND…``: runs a command under a kernel that refuses to install
parts of the confinement, though it answers what version it has, or without capabilities."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import sys
from collections.abc import Sequence
from typing import Final

from workers.confinement import seccomp
from workers.confinement.kernel import _PR_CAPBSET_DROP, _TO_COUNT_THREADS, never_gain_privileges, prctl
from workers.confinement.trial import THREAD_LIMIT

_UNSHARE: Final = {"x86_64": 272, "aarch64": 97}
_PRCTL: Final = {"x86_64": 157, "aarch64": 167}
_SETRESUID: Final = {"x86_64": 117, "aarch64": 147}
_LANDLOCK_RESTRICT_SELF: Final = 446
_PR_SET_SECCOMP: Final = 22
_FIRST_ARGUMENT_AT: Final = 16
_REFUSED: Final = seccomp._ERROR | errno.EPERM
_NUMBER: Final = (seccomp._LOAD, 0, 0, seccomp._NUMBER_AT)


def under(*parts: str) -> list[str]:
    """What goes before a command; `parts` as `Confinement.missing` names them, "Landlock, deadly", or names of
    capabilities."""
    return [sys.executable, "-m", __name__, *parts, "--"]


def _lines(part: str) -> list[tuple[int, int, int, int]]:
    machine = platform.machine()
    number, verdict = {
        "Landlock": (_LANDLOCK_RESTRICT_SELF, _REFUSED),
        "Landlock, deadly": (_LANDLOCK_RESTRICT_SELF, seccomp._KILL),
        "network namespaces": (_UNSHARE[machine], _REFUSED),
        "seccomp": (_PRCTL[machine], _REFUSED),
        THREAD_LIMIT: (_SETRESUID[machine], _REFUSED),
    }[part]
    if part != "seccomp":
        return [(seccomp._JUMP_EQUAL, 0, 1, number), (seccomp._RETURN, 0, 0, verdict)]
    return [
        (seccomp._JUMP_EQUAL, 0, 4, number),
        (seccomp._LOAD, 0, 0, _FIRST_ARGUMENT_AT),
        (seccomp._JUMP_EQUAL, 0, 1, _PR_SET_SECCOMP),
        (seccomp._RETURN, 0, 0, verdict),
        _NUMBER,
    ]


def main(arguments: Sequence[str]) -> None:
    """Install one filter for all, and become the command."""
    end = arguments.index("--")
    for name in {*arguments[:end]} & {*_TO_COUNT_THREADS}:
        prctl(_PR_CAPBSET_DROP, ctypes.c_ulong(_TO_COUNT_THREADS[name]))
    never_gain_privileges()
    lines = [line for part in arguments[:end] if part not in _TO_COUNT_THREADS for line in _lines(part)]
    seccomp._install([_NUMBER, *lines, (seccomp._RETURN, 0, 0, seccomp._ALLOW)])
    os.execv(arguments[end + 1], list(arguments[end + 1 :]))


if __name__ == "__main__":
    main(sys.argv[1:])
