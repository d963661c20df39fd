"""System calls that the standard library does not offer, and what prctl and capset do to the calling process."""

from __future__ import annotations

import ctypes
import os
import platform
import re
import secrets
import signal
from contextlib import suppress
from pathlib import Path
from typing import Final

_LIBC: Final = ctypes.CDLL(None, use_errno=True)
_PR_SET_PDEATHSIG: Final = 1
_PR_CAPBSET_DROP: Final = 24
_PR_SET_NO_NEW_PRIVS: Final = 38
_PR_SET_CHILD_SUBREAPER: Final = 36
_PR_SET_KEEPCAPS: Final = 8
_PR_CAP_AMBIENT, _AMBIENT_RAISE = 47, 2
_CAPABILITY_CALLS: Final = {"x86_64": (125, 126), "aarch64": (90, 91)}
"""capget, capset."""
_CAPABILITIES_VERSION: Final = 0x20080522
_CAP_DAC_OVERRIDE: Final = 1
_CAP_KILL, _CAP_SETUID = 5, 7
_TO_COUNT_THREADS: Final = {
    "CAP_SETUID": _CAP_SETUID, "CAP_KILL": _CAP_KILL, "CAP_DAC_OVERRIDE": _CAP_DAC_OVERRIDE
}  # fmt: skip
_USERS_OF_CHILDREN, _USERS_BITS = 0x70000000, 27
"""Numbers that systemd's table of users leaves to nobody (UIDS-GIDS.md)."""
_CLONE_NEWUSER, _CLONE_NEWNET, _CLONE_NEWIPC = 0x10000000, 0x40000000, 0x08000000
_CLONE_NEWUTS: Final = 0x04000000


def system_call(number: int, *arguments: object) -> int:
    """The result, or minus the error number."""
    result: int = _LIBC.syscall(ctypes.c_long(number), *arguments)
    return result if result >= 0 else -ctypes.get_errno()


def prctl(option: int, *arguments: object) -> int:
    """The result, or minus the error number."""
    padded = [*arguments, *[ctypes.c_ulong(0)] * (4 - len(arguments))]
    result: int = _LIBC.prctl(option, *padded)
    return result if result >= 0 else -ctypes.get_errno()


def die_with_parent(parent_pid: int) -> None:
    """Make this process end when the thread that started it does, whatever ends that."""
    prctl(_PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGKILL))
    if os.getppid() != parent_pid:
        os._exit(1)  # the parent went before the request above was made


def never_gain_privileges() -> None:
    """No program that this process starts has more rights than it (set-user-ID files do nothing).

    Where that is refused, Landlock and seccomp are, too, and the worker says so."""
    prctl(_PR_SET_NO_NEW_PRIVS, ctypes.c_ulong(1))


def adopt_orphans() -> None:
    """Descendants whose parents end become children of this process."""
    prctl(_PR_SET_CHILD_SUBREAPER, ctypes.c_ulong(1))


def leave_namespaces() -> bool:
    """An empty network, IPC and host name of its own; whether the kernel allowed it. Needs a single thread.

    Tried in a copy of this process first: a refusal in the middle would leave it without a user of its own."""
    trial = os.fork()
    if trial == 0:
        try:
            os._exit(0 if _leave_namespaces() else 1)
        finally:
            os._exit(1)
    return os.waitpid(trial, 0)[1] == 0 and _leave_namespaces()


def _leave_namespaces() -> bool:
    """Without privileges they come with a user namespace, in which this user and group keep their numbers. A
    privileged process needs none, and one would cost it the right to the files of others."""
    uid, gid = os.getuid(), os.getgid()
    apart = _CLONE_NEWNET | _CLONE_NEWIPC | _CLONE_NEWUTS
    if uid == 0:
        return bool(_LIBC.unshare(apart) == 0)
    if _LIBC.unshare(apart | _CLONE_NEWUSER) != 0:
        return False
    for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)
    return True


def count_threads_apart() -> None:
    """Make a random user that nobody else has the real one of this process: RLIMIT_NPROC counts by the real user, and
    of root not at all. Files are reached by the effective user, which stays.

    Only for root that may change its user and end what runs as another, and only where there is such a user:
    containers may have few."""
    if os.geteuid() == 0 and not {"CAP_SETUID", "CAP_KILL"} & {*lacking_capabilities()}:
        with suppress(OSError):
            os.setresuid(_USERS_OF_CHILDREN + secrets.randbits(_USERS_BITS), -1, -1)


def become_real_user() -> None:
    """Before a program is started, which may refuse to run as two users: the effective one becomes the real one, and
    the right to the files of others stays."""
    user = os.getuid()
    if user == os.geteuid():
        return
    if not _permitted() & 1 << _CAP_DAC_OVERRIDE:
        os.setresuid(os.geteuid(), -1, -1)  # it could not read its input; its threads are not counted
        return
    prctl(_PR_SET_KEEPCAPS, ctypes.c_ulong(1))
    os.setresuid(user, user, user)
    _set_capabilities(1 << _CAP_DAC_OVERRIDE, inherited=True)
    prctl(_PR_CAP_AMBIENT, ctypes.c_ulong(_AMBIENT_RAISE), ctypes.c_ulong(_CAP_DAC_OVERRIDE))


def lacking_capabilities() -> tuple[str, ...]:
    """Of those without which the threads of a child of the machine's root are not counted; of others none."""
    if threads_are_counted():
        return ()
    held = _permitted()
    return tuple(name for name, number in _TO_COUNT_THREADS.items() if not held & 1 << number)


def threads_are_counted() -> bool:
    """Whether RLIMIT_NPROC holds for this process: of the machine's root the kernel counts none (copy_process)."""
    return os.getuid() != 0 or _users_here()[:2] != ["0", "0"]


def _users_here() -> list[str]:
    """user_namespaces(7): first user here, first user outside, how many."""
    return Path("/proc/self/uid_map").read_text(encoding="ascii").split()


def threads_counted() -> int:
    """Those that RLIMIT_NPROC counts already: of this user, but in a user namespace of our own, where it counts
    alone."""
    if _users_here()[2:] == ["1"] or not threads_are_counted():
        return 0
    found = 0
    for entry in os.scandir("/proc"):
        with suppress(OSError, IndexError, ValueError):  # what ends meanwhile
            if entry.name.isdecimal() and _real_user(Path(entry.path)) == os.getuid():
                found += int(
                    Path(entry.path, "stat").read_text(encoding="latin-1").rpartition(")")[2].split()[17]
                )
    return found


def _real_user(process: Path) -> int:
    return int(re.findall(r"^Uid:\t(\d+)", (process / "status").read_text(encoding="latin-1"), re.M)[0])


def drop_capabilities(*, for_children: bool = False) -> None:
    """All but, for root, the right to files of other users: uploads and folders may belong to anybody. The launcher,
    `for_children`, may also change their user and end them."""
    for capability in range(64):
        if capability != _CAP_DAC_OVERRIDE and prctl(_PR_CAPBSET_DROP, ctypes.c_ulong(capability)) < 0:
            break
    kept = 1 << _CAP_DAC_OVERRIDE if os.geteuid() == 0 else 0
    if kept and for_children:
        kept |= 1 << _CAP_SETUID | 1 << _CAP_KILL
    _set_capabilities(kept & _permitted())


def _permitted() -> int:
    """Of /proc a confined process sees too little."""
    numbers = _CAPABILITY_CALLS.get(platform.machine())
    sets = (ctypes.c_uint32 * 6)()
    if numbers is None or system_call(numbers[0], ctypes.byref(_header()), ctypes.byref(sets)) < 0:
        return 0
    return sets[1] | sets[4] << 32


def _set_capabilities(kept: int, *, inherited: bool = False) -> None:
    numbers = _CAPABILITY_CALLS.get(platform.machine())
    if numbers is not None:
        sets = (ctypes.c_uint32 * 6)(kept, kept, kept if inherited else 0, 0, 0, 0)
        system_call(numbers[1], ctypes.byref(_header()), ctypes.byref(sets))


def _header() -> ctypes.Array[ctypes.c_uint32]:
    return (ctypes.c_uint32 * 2)(_CAPABILITIES_VERSION, 0)
