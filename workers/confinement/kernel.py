"""System calls that the standard library does not offer, and what prctl and capset do to the calling process."""

from __future__ import annotations

import ctypes
import os
import platform
import signal
from contextlib import suppress
from pathlib import Path
from typing import Final

_LIBC: Final = ctypes.CDLL(None, use_errno=True)
_PR_SET_PDEATHSIG: Final = 1
_PR_CAPBSET_DROP: Final = 24
_PR_SET_NO_NEW_PRIVS: Final = 38
_PR_SET_CHILD_SUBREAPER: Final = 36
_CAPSET: Final = {"x86_64": 126, "aarch64": 91}
_CAPABILITIES_VERSION: Final = 0x20080522
_CAP_DAC_OVERRIDE: Final = 1
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


def threads_counted() -> int:
    """Those that RLIMIT_NPROC counts already: of this user, but in a user namespace of our own, where it counts alone.
    Of root the kernel counts none."""
    if os.getuid() == 0 or Path("/proc/self/uid_map").read_text(encoding="ascii").split()[2:] == ["1"]:
        return 0
    found = 0
    for entry in os.scandir("/proc"):
        with suppress(OSError, IndexError, ValueError):  # what ends meanwhile
            if entry.name.isdecimal() and entry.stat().st_uid == os.getuid():
                found += int(
                    Path(entry.path, "stat").read_text(encoding="latin-1").rpartition(")")[2].split()[17]
                )
    return found


def drop_capabilities() -> None:
    """All but, for root, the right to files of other users: uploads and folders may belong to anybody."""
    for capability in range(64):
        if capability != _CAP_DAC_OVERRIDE and prctl(_PR_CAPBSET_DROP, ctypes.c_ulong(capability)) < 0:
            break
    number = _CAPSET.get(platform.machine())
    if number is None:
        return
    kept = 1 << _CAP_DAC_OVERRIDE if os.getuid() == 0 else 0
    header = (ctypes.c_uint32 * 2)(_CAPABILITIES_VERSION, 0)
    sets = (ctypes.c_uint32 * 6)(kept, kept, 0, 0, 0, 0)
    system_call(number, ctypes.byref(header), ctypes.byref(sets))
