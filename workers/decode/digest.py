"""SHA-256 of a file's bytes while they are read for decoding: no second read, and no wait."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_READ_BYTES: Final = 1 << 20


class RunningDigest:
    """Computed in a thread of its own, beside the loop: neither holds Python's lock meanwhile."""

    def __init__(self) -> None:
        self._sha256 = hashlib.sha256()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="digest")
        self._busy: Future[None] | None = None

    def take(self, piece: memoryview) -> None:
        """The next bytes; they must stay as they are until `wait` returns."""
        self.wait()
        self._busy = self._thread.submit(self._sha256.update, piece)

    def wait(self) -> None:
        """Returns when nothing is being read from the latest piece any more."""
        if self._busy is not None:
            self._busy.result()
            self._busy = None

    def finish(self, path: Path, offset: int) -> str:
        """Adds what the file holds from `offset` on, for decoding may have stopped early; the digest in hex."""
        self.wait()
        with path.open("rb") as file:
            file.seek(offset)
            while piece := file.read(_READ_BYTES):
                self._sha256.update(piece)
        return self._sha256.hexdigest()

    def close(self) -> None:
        """Ends the thread."""
        self._thread.shutdown()


@contextmanager
def running_digest() -> Iterator[RunningDigest]:
    """A digest whose thread ends with the block."""
    digest = RunningDigest()
    try:
        yield digest
    finally:
        digest.close()
