"""seccomp: system calls that this process and its descendants can never make again.

A filter in classic BPF (Documentation/userspace-api/seccomp_filter.rst). What is denied fails with EPERM; system
calls of another architecture end the process. Numbers: arch/x86/entry/syscalls/syscall_64.tbl and
include/uapi/asm-generic/unistd.h."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
from typing import Final, NamedTuple

from workers.confinement.kernel import prctl

_PR_SET_SECCOMP, _MODE_FILTER = 22, 2
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000
_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER_AT, _ARCHITECTURE_AT, _FIRST_ARGUMENT_AT = 0, 4, 16
_X32_BIT: Final = 0x40000000
_CLONE_THREAD, _CLONE_NAMESPACES = 0x00010000, 0x7E020080


class _Machine(NamedTuple):
    audit: int
    clone: int
    signals: tuple[int, ...]
    """Calls whose first argument is the process that gets a signal: kill, tgkill."""
    starts: tuple[int, ...]
    """fork, vfork, execve, execveat."""
    denied: tuple[int, ...]


_CLONE3: Final = 435
_NEWER: Final = (424, 425, 426, 427, 428, 429, 430, 431, 432, 433, 434, 438, 442, 447, 448)
"""pidfd_send_signal, io_uring_*, the new mount calls, pidfd_open, pidfd_getfd, mount_setattr, memfd_secret,
process_mrelease: from 424 on all machines share the numbers."""
_MACHINES: Final = {
    "x86_64": _Machine(
        0xC000003E, 56, (62, 234), (57, 58, 59, 322),
        (
            41, 42, 43, 49, 50, 53, 288,  # socket, connect, accept, bind, listen, socketpair, accept4
            29, 30, 31, 64, 65, 66, 68, 69, 70, 71, 220, 240,  # System V shared memory, semaphores, queues; mq_open
            101, 310, 311, 312, 200, 129, 297,  # ptrace, process_vm_*, kcmp, tkill, *sigqueueinfo
            135, 155, 161, 163, 165, 166, 167, 168, 169, 170, 171, 172, 173, 175, 176, 179, 246, 313, 320,
            133, 206, 248, 249, 250, 272, 298, 300, 303, 304, 308, 321, 323,
            # personality, pivot_root, chroot, acct, mount, …; mknod, io_setup, keys, unshare, perf_event_open,
            # fanotify_init, *_handle_at, setns, bpf, userfaultfd
        ),
    ),
    "aarch64": _Machine(
        0xC00000B7, 220, (129, 131), (221, 281),
        (
            198, 203, 202, 200, 201, 199, 242,
            194, 195, 196, 190, 191, 192, 193, 186, 187, 188, 189, 180,
            117, 270, 271, 272, 130, 138, 240,
            92, 41, 51, 89, 40, 39, 224, 225, 142, 161, 162, 105, 106, 60, 104, 273, 294,
            33, 0, 217, 218, 219, 97, 241, 262, 264, 265, 268, 280, 282,
        ),
    ),
}  # fmt: skip


def knows_this_machine() -> bool:
    """Whether the numbers of its system calls are known here."""
    return platform.machine() in _MACHINES


def forbid_system_calls(*, may_start_programs: bool) -> None:
    """Sockets, mounts, other processes' memory and signals, keys and the like; unless allowed also new processes.

    Threads stay possible. Raises OSError."""
    _install(_filter(_MACHINES[platform.machine()], may_start_programs=may_start_programs))


def forbid_processes() -> None:
    """No process may be started beside the threads of this one; it may still become another program (exec)."""
    machine = _MACHINES[platform.machine()]
    calls = machine._replace(signals=(), starts=machine.starts[:-2], denied=())
    _install(_filter(calls, may_start_programs=False))


_Line = tuple[int, int, int, int]


def _filter(machine: _Machine, *, may_start_programs: bool) -> list[_Line]:
    deny: _Line = (_RETURN, 0, 0, _ERROR | errno.EPERM)
    allow: _Line = (_RETURN, 0, 0, _ALLOW)
    lines: list[_Line] = [
        (_LOAD, 0, 0, _ARCHITECTURE_AT),
        (_JUMP_EQUAL, 1, 0, machine.audit),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER_AT),
        (_JUMP_AT_LEAST, 0, 1, _X32_BIT),
        (_RETURN, 0, 0, _KILL),
        # The C library falls back to clone, whose flags can be read.
        (_JUMP_EQUAL, 0, 1, _CLONE3),
        (_RETURN, 0, 0, _ERROR | errno.ENOSYS),
    ]
    for number in (*machine.denied, *(_NEWER if machine.denied else ())):
        lines += [(_JUMP_EQUAL, 0, 1, number), deny]
    for number in () if may_start_programs else machine.starts:
        lines += [(_JUMP_EQUAL, 0, 1, number), deny]
    for number in machine.signals if not may_start_programs else ():
        own: _Line = (_JUMP_EQUAL, 0, 1, os.getpid())
        lines += [(_JUMP_EQUAL, 0, 4, number), (_LOAD, 0, 0, _FIRST_ARGUMENT_AT), own, allow, deny]
    lines += [
        (_JUMP_EQUAL, 0, 6, machine.clone),
        (_LOAD, 0, 0, _FIRST_ARGUMENT_AT),
        (_JUMP_ANY_BIT, 0, 1, _CLONE_NAMESPACES),
        deny,
    ]
    if may_start_programs:
        lines += [allow, allow, allow]
    else:
        lines += [(_JUMP_ANY_BIT, 0, 1, _CLONE_THREAD), allow, deny]
    return [*lines, allow]


class _Instruction(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_uint16),
        ("if_true", ctypes.c_uint8),
        ("if_false", ctypes.c_uint8),
        ("value", ctypes.c_uint32),
    )


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("lines", ctypes.POINTER(_Instruction)))


def _install(lines: list[_Line]) -> None:
    array = (_Instruction * len(lines))(*(_Instruction(*line) for line in lines))
    program = _Program(len(lines), array)
    result = prctl(_PR_SET_SECCOMP, ctypes.c_ulong(_MODE_FILTER), ctypes.byref(program))
    if result < 0:
        raise OSError(-result, f"seccomp: {os.strerror(-result)}")
