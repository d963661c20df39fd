"""Opens a file as a source of bytes, plain or packed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from backend.limits import Limits
from workers.decode.sources import ByteSource, PlainSource


@contextmanager
def open_source(path: Path, compression: str, limits: Limits = Limits()) -> Iterator[ByteSource]:  # noqa: B008 - frozen
    """The bytes of a file; `compression` is a key of `unpacking.COMPRESSIONS`, or empty. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        if compression:
            from workers.decode.unpacking import unpacking_source

            yield unpacking_source(descriptor, compression, limits)
        else:
            yield PlainSource(descriptor)
    finally:
        os.close(descriptor)
