"""Looks into single frames: what was asked, what came of it, and the files of the answer.

A folder each, below the investigation's own, so that the packet queries can read what it lists. Files appear whole
(by a rename); the last one is `outcome.json`. The oldest go when there are too many."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal

import pyarrow as pa
import pyarrow.parquet as pq

from backend.errors import NotFound

LOOKS_KEPT: Final = 48
BYTES_KEPT: Final = 6 << 30

LookKind = Literal["dissection", "display-filter", "carving", "anonymising", "wireshark"]
LookState = Literal["queued", "running", "done", "failed", "cancelled"]


@dataclass(frozen=True)
class LookFile:
    """An evidence file that is looked into."""

    id: str
    name: str
    sha256: str
    holds_credentials: bool
    kind: str = "capture"
    """Or dump."""
    origin: str = ""
    """Of an anonymising: what it came in. Files of one origin are of one host."""
    captured_at_ns: int | None = None
    """Of a dump: when it was taken, where the uploader said it."""


@dataclass(frozen=True)
class SelectedPart:
    """Frames of one vantage point that Wireshark's view is asked of."""

    input: str
    context: tuple[int, ...]
    """What tshark reads, ascending: of each connection its packets from the first on."""
    shown: tuple[int, ...]


@dataclass(frozen=True)
class LookRequest:
    """What was asked, complete: the same request is the same look."""

    kind: LookKind
    files: tuple[LookFile, ...]
    filter: str = ""
    """Of a display filter."""
    frame: int = 0
    """Of a dissection."""
    before: tuple[int, ...] = ()
    """Of a dissection: the frames of its connection before it."""
    whole: bool = False
    """Nothing of the connection before the frame is left out."""
    frames_digest: str = ""
    """Of a carving: the frames lie beside."""
    packets: int = 0
    name: str = ""
    """Of a carving or an anonymising: what the file is called when it is downloaded."""
    anonymise: bool = False
    """Of a carving: other addresses, no payload."""
    parts: tuple[SelectedPart, ...] = ()
    """Of Wireshark's view."""


@dataclass(frozen=True)
class LookOutcome:
    """What came of it."""

    state: LookState
    packets: int = 0
    bytes: int = 0
    problem: str = ""
    at: int | None = None
    """Of a filter that tshark does not understand: where, in characters."""
    length: int | None = None


@dataclass(frozen=True)
class LookProgress:
    """How far a look is."""

    done: int = 0
    total: int = 0
    found: int = 0


@dataclass(frozen=True)
class Look:
    """A look as it stands."""

    id: str
    request: LookRequest
    attempt: int
    outcome: LookOutcome
    progress: LookProgress = field(default_factory=LookProgress)

    @property
    def packets(self) -> int:
        """That were found, or carved; of a carving under way, that are wanted."""
        return self.outcome.packets or self.progress.found or self.request.packets


class LookFolder:
    """The files of one look."""

    def __init__(self, investigation_folder: Path, look_id: str) -> None:
        self.id = look_id
        self.path = investigation_folder / "looks" / look_id

    @classmethod
    def at(cls, path: Path) -> LookFolder:
        """The same folder by its path."""
        return cls(path.parents[1], path.name)

    @property
    def frames(self) -> Path:
        """Parquet of (input, frame): what a display filter found, or what is to be carved."""
        return self.path / "frames.parquet"

    @property
    def dissection(self) -> Path:
        """JSON: the frame taken apart."""
        return self.path / "dissection.json"

    @property
    def wireshark(self) -> Path:
        """JSON: a `WiresharkAnswer`."""
        return self.path / "wireshark.json"

    @property
    def carved(self) -> Path:
        """The pcapng."""
        return self.path / "carved.pcapng"

    @property
    def bundle(self) -> Path:
        """Of an anonymising: the tar.gz."""
        return self.path / "anonymised.tar.gz"

    def read(self) -> Look:
        """Raises NotFound."""
        asked = self._json("request.json")
        if asked is None:
            raise NotFound("There is no such look; it may have been cleared away. Ask again.")
        files = tuple(LookFile(**each) for each in asked["request"].pop("files"))
        before = tuple(asked["request"].pop("before"))
        parts = tuple(
            SelectedPart(each["input"], tuple(each["context"]), tuple(each["shown"]))
            for each in asked["request"].pop("parts", ())
        )
        request = LookRequest(files=files, before=before, parts=parts, **asked["request"])
        progress = self._json("progress.json")
        return Look(
            self.id,
            request,
            asked["attempt"],
            self._outcome(),
            LookProgress(**progress) if progress else LookProgress(),
        )

    def _outcome(self) -> LookOutcome:
        found = self._json("outcome.json")
        if found is not None:
            return LookOutcome(**found)
        if self.is_cancelled:
            return LookOutcome("cancelled")
        return LookOutcome("running" if (self.path / "progress.json").is_file() else "queued")

    @property
    def is_cancelled(self) -> bool:
        """Nobody wants its answer any more."""
        return (self.path / "cancelled").is_file() or not self.path.is_dir()

    def cancel(self) -> None:
        """Say so."""
        if self.path.is_dir():
            (self.path / "cancelled").touch()

    def begin(self, request: LookRequest, attempt: int) -> None:
        """Keep what is asked; what came of an attempt before is dropped."""
        self.path.mkdir(parents=True, exist_ok=True)
        for name in ("outcome.json", "progress.json", "cancelled", "starts.json"):
            (self.path / name).unlink(missing_ok=True)
        self._write("request.json", {"request": asdict(request), "attempt": attempt})

    @property
    def starts(self) -> int:
        """How often workers have begun this attempt without coming to an end."""
        return int((self._json("starts.json") or {}).get("starts", 0))

    def count_start(self, by: int = 1) -> None:
        """One worker more has begun it, or (-1) stops because it was asked to."""
        if self.path.is_dir():
            self._write("starts.json", {"starts": max(0, self.starts + by)})

    def unfinished_for_s(self) -> float | None:
        """How long nothing was heard of it; None once it is over, or was called off."""
        if self._outcome().state not in ("queued", "running"):
            return None
        heard = [self.path / name for name in ("request.json", "progress.json")]
        return time.time() - max(path.stat().st_mtime for path in heard if path.is_file())

    def report(self, progress: LookProgress) -> None:
        """Keep how far it is."""
        self._write("progress.json", asdict(progress))

    def finish(self, outcome: LookOutcome) -> None:
        """Keep what came of it."""
        self._write("outcome.json", asdict(outcome))

    def note_asker(self, key: str) -> None:
        """Who waits for its answer (`Actor.key`)."""
        self._asker(key).parent.mkdir(parents=True, exist_ok=True)
        self._asker(key).touch()

    def was_asked_by(self, key: str) -> bool:
        """Whether they wait for its answer."""
        return self._asker(key).is_file()

    def forget_asker(self, key: str) -> bool:
        """They do not wait any more; whether somebody else does."""
        asker = self._asker(key)
        asker.unlink(missing_ok=True)
        return asker.parent.is_dir() and any(asker.parent.iterdir())

    def _asker(self, key: str) -> Path:
        return self.path / "asked-by" / hashlib.sha256(key.encode()).hexdigest()

    def touch(self) -> None:
        """It was asked for again: it is among the last to go."""
        os.utime(self.path)

    def write_frames(self, frames: Sequence[tuple[str, Sequence[int]]]) -> None:
        """Keep frames by input."""
        inputs = [pa.array([name] * len(numbers), pa.string()) for name, numbers in frames]
        numbers = [pa.array(numbers, pa.int64()) for _, numbers in frames]
        table = pa.table(
            {"input": pa.chunked_array(inputs, pa.string()), "frame": pa.chunked_array(numbers, pa.int64())}
        )
        self.path.mkdir(parents=True, exist_ok=True)
        unfinished = self.frames.with_suffix(".part")
        pq.write_table(table, unfinished, compression="zstd")
        unfinished.rename(self.frames)

    def read_frames(self, input_name: str) -> list[int]:
        """Those of one input, ascending."""
        table = pq.read_table(self.frames, columns=["frame"], filters=[("input", "=", input_name)])
        return sorted(table.column("frame").to_pylist())

    def _json(self, name: str) -> dict[str, Any] | None:
        try:
            found: dict[str, Any] = json.loads((self.path / name).read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            return None
        return found

    def _write(self, name: str, content: dict[str, Any]) -> None:
        unfinished = self.path / f"{name}.part"
        unfinished.write_text(json.dumps(content), encoding="utf-8")
        unfinished.rename(self.path / name)


def clear_old_looks(investigation_folder: Path, *, but: str) -> None:
    """Remove the looks that were not asked for longest, until those that stay are few and small enough."""
    folder = investigation_folder / "looks"
    if not folder.is_dir():
        return
    latest = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    kept, size = 0, 0
    for path in latest:
        own = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
        kept, size = kept + 1, size + own
        finished = (path / "outcome.json").is_file()
        if finished and path.name != but and (kept > LOOKS_KEPT or size > BYTES_KEPT):
            shutil.rmtree(path, ignore_errors=True)


def next_attempt(look: Look) -> Look:
    """The same, to be tried once more."""
    return replace(look, attempt=look.attempt + 1, outcome=LookOutcome("queued"), progress=LookProgress())
