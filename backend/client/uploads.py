"""Sending files: in one piece with their hash, or resumable (tus 1.0) when they are large."""

from __future__ import annotations

import base64
import hashlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final
from urllib.parse import quote

from backend.client.problems import Problem
from backend.client.records import File
from backend.client.transport import Body, Transport

RESUMABLE_FROM_BYTES: Final = 64 << 20
"""Below this a cut connection costs little; above, what has arrived is not sent again."""
PIECE_BYTES: Final = 16 << 20
READ_BYTES: Final = 1 << 20
TRIES: Final = 6
"""In a row without progress, each after a longer pause: about half a minute altogether."""
TUS: Final = {"Tus-Resumable": "1.0.0"}


@dataclass(frozen=True)
class Sent:
    """How much of a file has been sent."""

    name: str
    bytes_sent: int
    bytes_total: int


@dataclass(frozen=True)
class UploadDetails:
    """What is said of a file besides its bytes."""

    name: str
    host: str | None
    captured_at: datetime | None

    def __post_init__(self) -> None:
        if self.captured_at is not None and self.captured_at.tzinfo is None:
            raise ValueError("captured_at needs a time zone.")

    def fields(self) -> dict[str, str]:
        """`host` and `captured_at`, where they are known."""
        details = {"host": self.host, "captured_at": self.captured_at and self.captured_at.isoformat()}
        return {key: value for key, value in details.items() if value}


Progressed = Callable[[Sent], None] | None


def send_file(
    transport: Transport, investigation: str, path: Path, details: UploadDetails, progress: Progressed
) -> File:
    """The file as the server keeps it; raises Problem where it does not, OSError when it cannot be read."""
    size_bytes = path.stat().st_size
    if size_bytes >= RESUMABLE_FROM_BYTES:
        return _Resumable(transport, investigation, path, details, progress).send()

    def opened() -> Iterator[bytes]:
        return _pieces(path, 0, size_bytes, lambda sent: _report(progress, details.name, sent, size_bytes))

    answer = transport.ask(
        "PUT",
        f"{investigation}/files/{quote(details.name, safe='')}",
        query=details.fields(),
        body=Body(opened, size_bytes, "application/octet-stream"),
        headers={"Content-SHA256": _sha256(path)},
    )
    return File.of(answer.json())


class _Resumable:
    def __init__(
        self,
        transport: Transport,
        investigation: str,
        path: Path,
        details: UploadDetails,
        progress: Progressed,
    ) -> None:
        self._transport = transport
        self._investigation = investigation
        self._path = path
        self._details = details
        self._progress = progress
        self._size_bytes = path.stat().st_size

    def send(self) -> File:
        upload = self._announce()
        offset = failures = 0
        while offset < self._size_bytes:
            try:
                offset, failures = self._send_piece(upload, offset), 0
            except Problem as problem:
                # Without an answer, at another offset, or while an earlier piece is still being written.
                if problem.status not in (None, 409, 423) or failures == TRIES:
                    raise
                time.sleep(2**failures / 2)
                failures += 1
                offset = self._offset(upload, offset)
        return self._kept(upload.rpartition("/")[2])

    def _announce(self) -> str:
        said = {"filename": self._details.name, **self._details.fields()}
        packed = ",".join(f"{key} {base64.b64encode(text.encode()).decode()}" for key, text in said.items())
        headers = {**TUS, "Upload-Length": str(self._size_bytes), "Upload-Metadata": packed}
        return self._transport.ask("POST", f"{self._investigation}/uploads", headers=headers).headers[
            "location"
        ]

    def _send_piece(self, upload: str, offset: int) -> int:
        size_bytes = min(PIECE_BYTES, self._size_bytes - offset)

        def opened() -> Iterator[bytes]:
            return _pieces(
                self._path,
                offset,
                size_bytes,
                lambda sent: _report(self._progress, self._details.name, offset + sent, self._size_bytes),
            )

        answer = self._transport.ask(
            "PATCH",
            upload,
            body=Body(opened, size_bytes, "application/offset+octet-stream"),
            headers={**TUS, "Upload-Offset": str(offset)},
        )
        return int(answer.headers["upload-offset"])

    def _offset(self, upload: str, known: int) -> int:
        try:
            return int(self._transport.ask("HEAD", upload, headers=TUS).headers["upload-offset"])
        except Problem as problem:
            if problem.status is None:
                return known  # still away: the next try shows
            raise

    def _kept(self, id: str) -> File:
        """The stored file; bytes that were there already are kept under the earlier one's id."""
        digest = _sha256(self._path)
        files = [
            File.of(each)
            for each in self._transport.ask("GET", f"{self._investigation}/files").json()["items"]
        ]
        found = next((file for file in files if file.id == id), None)
        found = found or next((file for file in files if file.sha256 == digest), None)
        if found is None:
            raise Problem("lost", f"{self._details.name} arrived, but the server does not list it.")
        if found.sha256 not in (digest, None):
            raise Problem("damaged", f"{self._details.name} arrived with other bytes than were sent.")
        return found


def _pieces(path: Path, offset: int, size_bytes: int, sent: Callable[[int], None]) -> Iterator[bytes]:
    done = 0
    with path.open("rb") as handle:
        handle.seek(offset)
        while done < size_bytes:
            piece = handle.read(min(READ_BYTES, size_bytes - done))
            if not piece:
                raise OSError(0, "it became shorter while it was sent", str(path))
            yield piece
            done += len(piece)
            sent(done)


def _report(progress: Progressed, name: str, bytes_sent: int, bytes_total: int) -> None:
    if progress is not None:
        progress(Sent(name, bytes_sent, bytes_total))


def _sha256(path: Path) -> str:
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
