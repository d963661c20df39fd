"""seccomp: system calls that this process and its descendants can never make again.

A filter in classic BPF (Documentation/userspace-api/seccomp_filter.rst). What is denied fails with EPERM; system
calls of another architecture end the process. Numbers: arch/x86/entry/syscalls/syscall_64.tbl and
include/uapi/asm-generic/unistd.h."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
from collections.abc import Iterable
from typing import Final, NamedTuple

from workers.confinement.kernel import prctl

_PR_SET_SECCOMP, _MODE_FILTER = 22, 2
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000
_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER_AT, _ARCHITECTURE_AT = 0, 4
_X32_BIT: Final = 0x40000000
_CLONE_THREAD, _CLONE_NAMESPACES = 0x00010000, 0x7E020080
_MAP_SHARED, _MAP_ANONYMOUS = 0x01, 0x20
_SIGNAL_OF_A_FILE: Final = (8, 10, 15)
"""fcntl: F_SETOWN, F_SETSIG, F_SETOWN_EX send any signal to any process of this user."""
_SIGNAL_OF_A_SOCKET: Final = (0x8901, 0x8902)
"""ioctl: FIOSETOWN, SIOCSPGRP do the same."""


class _Machine(NamedTuple):
    audit: int
    clone: int
    signals: tuple[int, ...]
    """Calls whose first argument is the process that gets a signal: kill, tgkill."""
    settings: tuple[int, ...]
    """Calls whose first argument is the process that is changed, 0 for the caller: prlimit64, sched_setparam,
    sched_setscheduler, sched_setaffinity, sched_setattr."""
    starts: tuple[int, ...]
    """fork, vfork, execve, execveat."""
    users: tuple[int, ...]
    """set*uid, set*gid, setgroups: threads are counted by user."""
    fcntl: int
    ioctl: int
    mmap: int
    opens: tuple[tuple[int, int], ...]
    """open, openat: number, and which argument holds the flags."""
    denied: tuple[int, ...]


_CLONE3, _OPENAT2 = 435, 437
_NEWER: Final = (
    424, 425, 426, 427, 428, 429, 430, 431, 432, 433, 434, 438, 440, 442, 447, 448, 452, 463, 466, 469,
)  # fmt: skip
"""pidfd_send_signal, io_uring_*, the new mount calls, pidfd_open, pidfd_getfd, process_madvise, mount_setattr,
memfd_secret, process_mrelease, fchmodat2, setxattrat, removexattrat, file_setattr: from 424 on all machines share the
numbers."""
_MACHINES: Final = {
    "x86_64": _Machine(
        0xC000003E, 56, (62, 234), (302, 142, 144, 203, 314), (57, 58, 59, 322),
        (105, 106, 113, 114, 116, 117, 119, 122, 123), 72, 16, 9, ((2, 1), (257, 2)),
        (
            41, 42, 43, 49, 50, 53, 288,  # socket, connect, accept, bind, listen, socketpair, accept4
            29, 30, 31, 64, 65, 66, 68, 69, 70, 71, 220, 240,  # System V shared memory, semaphores, queues; mq_open
            101, 310, 311, 312, 200, 129, 297,  # ptrace, process_vm_*, kcmp, tkill, *sigqueueinfo
            141, 251, 256, 279,  # setpriority, ioprio_set, migrate_pages, move_pages
            90, 91, 92, 93, 94, 260, 268,  # *chmod*, *chown*: Landlock watches neither these nor the next two lines
            132, 235, 261, 280, 188, 189, 190, 197, 198, 199,  # *utime*, *xattr
            76, 253, 254, 294,  # truncate, inotify_*
            319, 103,  # memfd_create, syslog
            135, 155, 161, 163, 165, 166, 167, 168, 169, 170, 171, 172, 173, 175, 176, 179, 246, 313, 320,
            133, 206, 248, 249, 250, 272, 298, 300, 303, 304, 308, 321, 323,
            # personality, pivot_root, chroot, acct, mount, …; mknod, io_setup, keys, unshare, perf_event_open,
            # fanotify_init, *_handle_at, setns, bpf, userfaultfd
        ),
    ),
    "aarch64": _Machine(
        0xC00000B7, 220, (129, 131), (261, 118, 119, 122, 274), (221, 281),
        (146, 144, 145, 143, 159, 147, 149, 151, 152), 25, 29, 222, ((56, 2),),
        (
            198, 203, 202, 200, 201, 199, 242,
            194, 195, 196, 190, 191, 192, 193, 186, 187, 188, 189, 180,
            117, 270, 271, 272, 130, 138, 240,
            140, 30, 238, 239,
            52, 53, 54, 55,
            88, 5, 6, 7, 14, 15, 16,
            45, 26, 27,
            279, 116,
            92, 41, 51, 89, 40, 39, 224, 225, 142, 161, 162, 105, 106, 60, 104, 273, 294,
            33, 0, 217, 218, 219, 97, 241, 262, 264, 265, 268, 280, 282,
        ),
    ),
}  # fmt: skip


def knows_this_machine() -> bool:
    """Whether the numbers of its system calls are known here."""
    return platform.machine() in _MACHINES


def forbid_system_calls(*, may_start_programs: bool) -> None:
    """Sockets, mounts, other processes' memory, limits and signals, rights and times of files, memory that no limit
    counts, keys and the like; unless allowed also new processes.

    Threads stay possible. Raises OSError."""
    machine = _MACHINES[platform.machine()]
    lines = [*_answer((_CLONE3, _OPENAT2), errno.ENOSYS), *_answer((*machine.denied, *_NEWER), errno.EPERM)]
    lines += _of_other_processes(machine, with_signals=not may_start_programs) + _of_files(machine)
    starts = () if may_start_programs else (*machine.starts, *machine.users)
    _install(
        [
            *_head(machine),
            *lines,
            *_answer(starts, errno.EPERM),
            *_clone(machine, may_fork=may_start_programs),
        ]
    )


def forbid_processes() -> None:
    """No process may be started beside the threads of this one, and none but this one gets a signal; it may still
    become another program (exec)."""
    machine = _MACHINES[platform.machine()]
    lines = _answer((_CLONE3,), errno.ENOSYS) + _of_other_processes(machine, with_signals=True)
    lines += _answer(machine.starts[:-2], errno.EPERM)
    _install([*_head(machine), *lines, *_clone(machine, may_fork=False)])


_Line = tuple[int, int, int, int]
_ALLOWED: Final[_Line] = (_RETURN, 0, 0, _ALLOW)
_DENIED: Final[_Line] = (_RETURN, 0, 0, _ERROR | errno.EPERM)


def _head(machine: _Machine) -> list[_Line]:
    return [
        (_LOAD, 0, 0, _ARCHITECTURE_AT),
        (_JUMP_EQUAL, 1, 0, machine.audit),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER_AT),
        (_JUMP_AT_LEAST, 0, 1, _X32_BIT),
        (_RETURN, 0, 0, _KILL),
    ]


def _answer(numbers: Iterable[int], error: int) -> list[_Line]:
    """ENOSYS where the C library then falls back to a call whose arguments can be read."""
    return [
        line for number in numbers for line in ((_JUMP_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ERROR | error))
    ]


def _judge(number: int, argument: int, *verdict: _Line) -> list[_Line]:
    """A call by the low half of one argument; the verdict ends the filter."""
    return [(_JUMP_EQUAL, 0, 1 + len(verdict), number), (_LOAD, 0, 0, 16 + 8 * argument), *verdict]


def _of_other_processes(machine: _Machine, *, with_signals: bool) -> list[_Line]:
    own: _Line = (_JUMP_EQUAL, 0, 1, os.getpid())
    lines: list[_Line] = []
    for number in machine.signals if with_signals else ():
        lines += _judge(number, 0, own, _ALLOWED, _DENIED)
    for number in machine.settings:
        lines += _judge(number, 0, own, _ALLOWED, (_JUMP_EQUAL, 0, 1, 0), _ALLOWED, _DENIED)
    for number, orders in ((machine.fcntl, _SIGNAL_OF_A_FILE), (machine.ioctl, _SIGNAL_OF_A_SOCKET)):
        refused = [line for order in orders for line in ((_JUMP_EQUAL, 0, 1, order), _DENIED)]
        lines += _judge(number, 1, *refused, _ALLOWED)
    return lines


def _of_files(machine: _Machine) -> list[_Line]:
    """Landlock before version 3 lets a file be emptied that is opened for reading. No limit counts memory that is
    shared and lies in no file."""
    lines: list[_Line] = []
    for number, argument in machine.opens:
        lines += _judge(
            number, argument, (_JUMP_ANY_BIT, 1, 0, os.O_TRUNC), _ALLOWED, (_JUMP_ANY_BIT, 0, 1, os.O_ACCMODE),
            _ALLOWED, _DENIED,
        )  # fmt: skip
    shared: tuple[_Line, ...] = (
        (_JUMP_ANY_BIT, 1, 0, _MAP_ANONYMOUS),
        _ALLOWED,
        (_JUMP_ANY_BIT, 0, 1, _MAP_SHARED),
    )
    return lines + _judge(machine.mmap, 3, *shared, _DENIED, _ALLOWED)


def _clone(machine: _Machine, *, may_fork: bool) -> list[_Line]:
    threads: tuple[_Line, ...] = () if may_fork else ((_JUMP_ANY_BIT, 1, 0, _CLONE_THREAD), _DENIED)
    apart: tuple[_Line, ...] = ((_JUMP_ANY_BIT, 0, 1, _CLONE_NAMESPACES), _DENIED)
    return [*_judge(machine.clone, 0, *apart, *threads, _ALLOWED), _ALLOWED]


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
