"""Opens bundles (tar, packed or not, and zip): every capture and every dump in them comes out as a file.

Nothing is written under a name that an archive chose: members go into numbered files of one folder.
"""

from __future__ import annotations

import errno
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final, Literal, Protocol

from backend.disk_space import room_at
from backend.limits import Limits
from workers.decode.bundle_members import Expansion, Member, NotUsed
from workers.decode.identify import Identified, identify_file
from workers.decode.member_names import clean_name, is_hidden
from workers.decode.open_source import open_source
from workers.decode.sources import ByteSource
from workers.decode.unpacking import FREE_BYTES

LISTED: Final = 1000
"""Members not used that are listed by name; of a sosreport these are thousands, and all are counted."""
DUMP_HEAD_BYTES: Final = 1 << 20
"""A dump shows in the first MiB of a text, or the text is none."""
_COPY_BYTES: Final = 1 << 20


class _Entry(Protocol):
    """A member of an archive, whatever its format."""

    @property
    def name(self) -> str: ...
    @property
    def size_bytes(self) -> int: ...
    @property
    def ends_all_when_damaged(self) -> bool: ...
    def unusable(self) -> str:
        """Why it is no plain file, in words; empty when it is one."""

    def is_folder(self) -> bool: ...
    def open(self) -> IO[bytes]: ...


class _LimitReached(Exception):  # noqa: N818 - not an error: the rest is left out
    """The text says which."""


_DAMAGE: Final = (
    tarfile.TarError, zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, NotImplementedError,
    RuntimeError, OverflowError,
)  # fmt: skip
"""What the standard library raises on archives that are damaged, locked or packed in ways it does not know."""


def expand_bundle(path: Path, folder: Path, limits: Limits = Limits()) -> Expansion:  # noqa: B008 - frozen
    """All evidence in the bundle `path`, unpacked into `folder`. Damage keeps what came before. Raises OSError
    where `folder` cannot be written."""
    return _Expander(path, folder, limits).expand()


@dataclass
class _Expander:
    path: Path
    folder: Path
    limits: Limits
    members: list[Member] = field(default_factory=list)
    not_used: list[NotUsed] = field(default_factory=list)
    not_used_total: int = 0
    warnings: list[str] = field(default_factory=list)
    _names: set[str] = field(default_factory=set)
    _bytes_left: int = 0
    _seen: int = 0
    _files: int = 0

    def expand(self) -> Expansion:
        by_ratio = max(FREE_BYTES, self.limits.unpacked_ratio * self.path.stat().st_size)
        self._bytes_left = min(self.limits.unpacked_bytes, by_ratio)
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            self._open(self.path, identify_file(self.path), "", 1)
        except _LimitReached as limit:
            self.warnings.append(f"{limit} The rest of the bundle was not looked at.")
        return Expansion(tuple(self.members), tuple(self.not_used), self.not_used_total, tuple(self.warnings))

    def _open(self, path: Path, identified: Identified, prefix: str, depth: int) -> None:
        """Goes through one archive; `prefix` is where it lies in the bundle."""
        where = f"The archive {prefix.rstrip('/')}" if prefix else "The bundle"
        before = self._seen
        try:
            if identified.format == "zip" and not identified.compression:
                self._take_all(_zip_entries(path), prefix, depth)
            elif identified.format == "tar":
                with open_source(path, identified.compression, self.limits) as source:
                    self._take_all(_tar_entries(source), prefix, depth)
                    if source.damage:
                        raise tarfile.ReadError(source.damage)
            else:
                self._leave_out(prefix.rstrip("/"), "a zip archive inside another compression")
        except _DAMAGE as error:
            if _is_of_the_system(error):
                raise
            count = self._seen - before
            self.warnings.append(f"{where} is damaged after {count:,} members ({_in_words(error)}).")

    def _take_all(self, entries: Iterator[_Entry], prefix: str, depth: int) -> None:
        for entry in entries:
            self._seen += 1
            if self._seen > self.limits.bundle_members:
                limit = self.limits.bundle_members
                raise _LimitReached(f"It has more than {limit:,} members, the limit bundle_members.")
            if entry.is_folder():
                continue
            name = self._free_name(prefix + clean_name(entry.name))
            unusable = "a hidden file" if is_hidden(entry.name) else entry.unusable()
            if unusable:
                self._leave_out(name, unusable)
            else:
                self._require_room(entry.size_bytes)
                self._take(entry, name, depth)

    def _take(self, entry: _Entry, name: str, depth: int) -> None:
        self._files += 1
        path = self.folder / f"{self._files:06d}"
        keep = False
        try:
            damage = self._unpack(entry, path)
            keep = self._sort(path, name, depth)
        except (NotImplementedError, RuntimeError) as error:
            self._leave_out(name, _in_words(error))  # locked, or packed by a method that is not read
            return
        finally:
            if not keep:
                path.unlink(missing_ok=True)
        if damage is not None and entry.ends_all_when_damaged:
            raise damage
        if damage is not None:
            self.warnings.append(f"{name} is damaged ({_in_words(damage)}); the part before was taken.")

    def _unpack(self, entry: _Entry, path: Path) -> Exception | None:
        """What ended the unpacking early; what came before is in the file."""
        try:
            with path.open("xb") as copy, entry.open() as content:
                self._copy(content, copy)
        except (NotImplementedError, RuntimeError):
            raise
        except _DAMAGE as error:
            if _is_of_the_system(error):
                raise
            return error
        return None

    def _copy(self, content: IO[bytes], copy: IO[bytes]) -> None:
        while piece := content.read(_COPY_BYTES):
            self._bytes_left -= len(piece)
            if self._bytes_left < 0:
                raise _LimitReached(
                    "It unpacks to more than the limits unpacked_ratio and unpacked_bytes allow."
                )
            self._require_room(len(piece))
            copy.write(piece)

    def _require_room(self, size_bytes: int) -> None:
        # A size that the archive claims counts as far as the limits would let it be unpacked.
        needed_bytes = min(size_bytes, max(self._bytes_left, 0))
        lack = room_at(self.folder, self.limits.disk_reserve_bytes).lack_for_work(needed_bytes)
        if lack:
            raise _LimitReached(f"{lack} Free space, then upload the bundle again.")

    def _sort(self, path: Path, name: str, depth: int) -> bool:
        """Whether the file is evidence and stays."""
        identified = identify_file(path)
        if identified.kind == "bundle":
            if depth < self.limits.bundle_depth:
                self._open(path, identified, f"{name}/", depth + 1)
            else:
                self._leave_out(name, f"an archive, {depth} deep in others, the limit bundle_depth")
            return False
        if identified.kind == "unknown":
            self._leave_out(name, identified.reason)
            return False
        if identified.kind == "text" and not _holds_dump(path, identified.compression):
            self._leave_out(name, "a text that is no known dump")
            return False
        if identified.kind == "text" and not identified.compression:
            self._take_packets(path, name)
        kind: Literal["capture", "dump"] = "capture" if identified.kind == "capture" else "dump"
        self.members.append(Member(path, name, kind, identified.format))
        return True

    def _take_packets(self, path: Path, name: str) -> None:
        """What tcpdump or tshark printed in a text becomes captures beside it."""
        from workers.decode.printed.members import printed_members
        from workers.decode.printed.opening import holds_printed_packets

        if not holds_printed_packets(path, self.limits):
            return
        self.members += printed_members(path, name, self.folder / f"{path.name}-packets", self.limits)

    def _leave_out(self, name: str, why: str) -> None:
        self.not_used_total += 1
        if len(self.not_used) < LISTED:
            self.not_used.append(NotUsed(name, why))

    def _free_name(self, name: str) -> str:
        """An archive may hold one name twice; the second is distinguished by a number."""
        free, number = name, 2
        while free in self._names:
            free, number = f"{name} ({number})", number + 1
        self._names.add(free)
        return free


def _is_of_the_system(error: BaseException) -> bool:
    """Not the archive's fault: the disk is full, or the file is gone. A header that names a place before the
    file's beginning makes seek(2) fail with EINVAL, and is damage."""
    return isinstance(error, OSError) and error.errno not in (None, errno.EINVAL)


def _in_words(error: BaseException) -> str:
    text = str(error).strip().rstrip(".") or type(error).__name__
    return "".join(c if c.isprintable() else "�" for c in text)[:200]


def _holds_dump(path: Path, compression: str) -> bool:
    from workers.decode.dumps import recognise_dump  # regular expressions compile only when there is a text

    head = bytearray(DUMP_HEAD_BYTES)
    with open_source(path, compression) as source:
        count = source.read_into(memoryview(head))
    return recognise_dump(bytes(head[:count])) is not None


@dataclass
class _TarEntry:
    archive: tarfile.TarFile
    info: tarfile.TarInfo
    ends_all_when_damaged: bool = True
    """It is read as a stream: what comes behind the damage cannot be found."""

    @property
    def name(self) -> str:
        return self.info.name

    @property
    def size_bytes(self) -> int:
        return self.info.size

    def is_folder(self) -> bool:
        return self.info.isdir()

    def unusable(self) -> str:
        if self.info.issym() or self.info.islnk():
            return "a link to another file"
        return "" if self.info.isfile() else "a device or pipe"

    def open(self) -> IO[bytes]:
        content = self.archive.extractfile(self.info)
        assert content is not None, "links and devices were left out before"
        return content


class _Reader:
    """A ByteSource as the file that tarfile wants."""

    def __init__(self, source: ByteSource) -> None:
        self._source = source

    def read(self, size: int) -> bytes:
        buffer = bytearray(size)
        count = self._source.read_into(memoryview(buffer))
        return bytes(buffer[:count])


class _Info(tarfile.TarInfo):
    """Distinguishes the end of an archive from damage: tarfile ends its loop for both."""

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> _Info:
        try:
            return super().fromtarfile(archive)
        except (tarfile.InvalidHeaderError, tarfile.TruncatedHeaderError) as error:  # type: ignore[attr-defined]
            raise tarfile.ReadError(str(error)) from error


def _tar_entries(source: ByteSource) -> Iterator[_Entry]:
    reader: IO[bytes] = _Reader(source)  # type: ignore[assignment]
    with tarfile.open(fileobj=reader, mode="r|", bufsize=1 << 18, tarinfo=_Info) as archive:
        for info in archive:
            yield _TarEntry(archive, info)
            archive.members.clear()  # type: ignore[attr-defined]  # tarfile keeps them all


@dataclass
class _ZipEntry:
    archive: zipfile.ZipFile
    info: zipfile.ZipInfo
    ends_all_when_damaged: bool = False

    @property
    def name(self) -> str:
        return self.info.filename

    @property
    def size_bytes(self) -> int:
        return self.info.file_size

    def is_folder(self) -> bool:
        return self.info.filename.endswith("/")  # its is_dir fails for a member without a name

    def unusable(self) -> str:
        kind = self.info.external_attr >> 28  # the upper bits of Unix' st_mode
        if kind not in (0, 8):
            return "a link to another file" if kind == 10 else "a device or pipe"
        return "locked by a password" if self.info.flag_bits & 1 else ""

    def open(self) -> IO[bytes]:
        return self.archive.open(self.info)


def _zip_entries(path: Path) -> Iterator[_Entry]:
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            yield _ZipEntry(archive, info)
