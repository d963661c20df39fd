"""Landlock: from now on this process reaches only files below the named paths, no TCP port, and no process outside.

Three system calls, the same numbers everywhere (Documentation/userspace-api/landlock.rst,
include/uapi/linux/landlock.h)."""

from __future__ import annotations

import ctypes
import os
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from workers.confinement.kernel import system_call

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION_ASKED: Final = 1
_PATH_BENEATH: Final = 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_REMOVE_DIR, _REMOVE_FILE, _MAKE_DIR, _MAKE_REG = 1 << 4, 1 << 5, 1 << 7, 1 << 8
_REFER, _TRUNCATE, _IOCTL_DEVICE = 1 << 13, 1 << 14, 1 << 15
_FILES_OF_VERSION: Final = {1: (1 << 13) - 1, 2: _REFER, 3: _TRUNCATE, 5: _IOCTL_DEVICE}
_TCP: Final = 0b11
"""Bind and connect; from version 4 on."""
_SCOPES: Final = 0b11
"""Abstract UNIX sockets and signals; from version 6 on."""
_OF_A_FILE: Final = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEVICE

READ: Final = _READ_FILE | _READ_DIR
RUN: Final = READ | _EXECUTE
WRITE: Final = READ | _WRITE_FILE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_REG | _REFER | _TRUNCATE
"""Plain files and folders; no links, devices, pipes or sockets."""


def landlock_version() -> int:
    """0 where the kernel has none or does not use it."""
    return max(0, system_call(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION_ASKED)))


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def restrict_files(rules: Iterable[tuple[Path, int]]) -> None:
    """(path, rights) of what stays; paths that do not exist are passed over. Raises OSError."""
    version = landlock_version()
    handled = sum(rights for since, rights in _FILES_OF_VERSION.items() if since <= version)
    asked = _Ruleset(handled, _TCP if version >= 4 else 0, _SCOPES if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    ruleset = _checked(
        system_call(_CREATE_RULESET, ctypes.byref(asked), ctypes.c_size_t(size), ctypes.c_uint32(0))
    )
    try:
        for path, rights in rules:
            _allow(ruleset, path, rights & handled)
        _checked(system_call(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0)))
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: Path, rights: int) -> None:
    try:
        parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not stat.S_ISDIR(os.fstat(parent).st_mode):
            rights &= _OF_A_FILE
        beneath = _PathBeneath(rights, parent)
        _checked(
            system_call(
                _ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(_PATH_BENEATH), ctypes.byref(beneath),
                ctypes.c_uint32(0),
            )
        )  # fmt: skip
    finally:
        os.close(parent)


def _checked(result: int) -> int:
    if result < 0:
        raise OSError(-result, f"Landlock: {os.strerror(-result)}")
    return result
