"""A disk of a few MiB that can really be full: a tmpfs, where these tests may mount one."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

PIECE_BYTES = 1 << 16


@contextmanager
def small_disk(folder: Path, size_mib: int) -> Iterator[Path]:
    """Mounted on `folder`; skips the test where nobody may mount."""
    folder.mkdir(parents=True)
    options = f"size={size_mib}m,mode=0700"
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "stallscope-test", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode:
        pytest.skip(f"a disk that can be filled needs the right to mount one: {made.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(folder: Path, *, leave_bytes: int = 0) -> Path:
    """Fill the disk with a file, which is returned, as another program would."""
    filler = folder / "filler"
    with filler.open("ab") as file:
        told = os.statvfs(folder)
        try:
            while (room := told.f_bavail * told.f_frsize - leave_bytes) > 0:
                file.write(bytes(min(room, PIECE_BYTES)))
                file.flush()
                told = os.statvfs(folder)
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
    return filler
