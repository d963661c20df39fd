"""Uploaded bytes by their SHA-256; unfinished uploads lie in `incoming` inside the same store."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import obstore
from obstore.store import LocalStore

CHUNK_BYTES = 1 << 20


class BlobStore:
    """A local folder. What has the same bytes is stored once."""

    def __init__(self, folder: Path, incoming: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        incoming.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._incoming = incoming
        self._store = LocalStore(folder)

    def incoming_path(self, upload_id: str) -> Path:
        """Where an upload is written while it arrives."""
        return self._incoming / upload_id

    def begin_incoming(self, upload_id: str) -> None:
        """Make the empty file that an upload is written to."""
        self.incoming_path(upload_id).touch()

    def keep(self, upload_id: str, sha256: str) -> None:
        """Make a complete upload a blob as well: both names stay, until `discard_incoming`. Repeatable."""
        if not self.has(sha256):
            self.path(sha256).parent.mkdir(exist_ok=True)
            try:
                os.link(self.incoming_path(upload_id), self.path(sha256))
            except FileExistsError:
                return  # somebody else sent the same bytes just now
            except OSError as error:
                if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EMLINK):
                    raise
                self.adopt(upload_id, sha256)  # a file system without hard links

    def is_reachable(self) -> bool:
        """Whether the folder is there, which may be another machine's."""
        try:
            return self._incoming.is_dir() and os.access(self._incoming, os.W_OK)
        except OSError:
            return False

    def adopt(self, upload_id: str, sha256: str) -> None:
        """Turn a complete upload into a blob; a rename, so half a blob never exists."""
        source = self.incoming_path(upload_id)
        if self.has(sha256):
            source.unlink(missing_ok=True)
            return
        obstore.rename(self._store, str(source.relative_to(self._folder)), _key(sha256))

    def discard_incoming(self, upload_id: str) -> None:
        """Drop an upload that will not be completed."""
        self.incoming_path(upload_id).unlink(missing_ok=True)

    def has(self, sha256: str) -> bool:
        """Whether these bytes are stored."""
        return self.path(sha256).is_file()

    def path(self, sha256: str) -> Path:
        """Where a worker can read the bytes."""
        return self._folder / _key(sha256)

    def chunks(self, sha256: str) -> Iterator[bytes]:
        """The bytes, a piece at a time."""
        for piece in obstore.get(self._store, _key(sha256)).stream(min_chunk_size=CHUNK_BYTES):
            yield bytes(piece)

    def delete(self, sha256: str) -> None:
        """Remove the bytes; it is no error when they are not there."""
        if self.has(sha256):
            obstore.delete(self._store, _key(sha256))


def _key(sha256: str) -> str:
    return f"{sha256[:2]}/{sha256}"
