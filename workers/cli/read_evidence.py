"""Reads the files of one `analyze`: opens bundles, and decodes large captures side by side, one a core."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from backend.errors import NoEvidence, StallscopeError
from backend.forensics.report import NotUsedPart
from backend.limits import Limits
from workers.cli.evidence_files import EvidenceFile
from workers.decode.bundle_members import Expansion
from workers.decode.identify import identify_file
from workers.decode.left_out import LeftOut, is_bundle, left_out_of, open_bundle, opens_to_files
from workers.decode.messages.reader import Scratch
from workers.ingested import Ingested, load_ingested
from workers.pipeline import UNKNOWN_TEXT, ingest_file

if TYPE_CHECKING:
    from workers.cli.progress_line import ProgressLine

SIDE_BY_SIDE_BYTES: Final = 512 << 20
"""So much must be beside the largest capture: starting a process costs about as long as decoding this."""
_PACKED_WEIGHT: Final = 10
"""A packed byte takes as long as so many plain ones."""
_REASONS_SHOWN: Final = 3
_NAMES_SHOWN: Final = 5


@dataclass
class Evidence:
    """What was read, in the order of the files, and what was not."""

    ingested: list[Ingested] = field(default_factory=list)
    left_out: LeftOut = field(default_factory=LeftOut)
    keeps: object = None
    """The folder of tables that are read only when they are needed: it goes with this."""


def read_evidence(
    files: Sequence[EvidenceFile], line: ProgressLine, complain: Callable[[str], None]
) -> Evidence:
    """All files, decoded or parsed; what cannot be read is reported by `complain` and left out."""
    scratch = Scratch()
    reader = _Reader(chosen_limits(), scratch.path, line, complain, Evidence(keeps=scratch))
    plain = _with_distinct_names(
        [one for number, file in enumerate(files) for one in reader.open(file, number)]
    )
    if reader.is_worth_processes(plain):
        reader.read_side_by_side(plain)
    else:
        reader.read_one_by_one(plain)
    reader.say_what_else_there_is()
    return reader.evidence


def opened_files(
    files: Sequence[EvidenceFile], scratch: Path, line: ProgressLine, complain: Callable[[str], None]
) -> list[EvidenceFile]:
    """The files, and the members of those that are bundles, unpacked into `scratch`."""
    reader = _Reader(chosen_limits(), scratch, line, complain)
    return _with_distinct_names(
        [one for number, file in enumerate(files) for one in reader.open(file, number)]
    )


def chosen_limits() -> Limits:
    """The limits by default, or as set: the settings are imported only where something is."""
    if not any(name.startswith("STALLSCOPE_") for name in os.environ):
        return Limits()
    from backend.settings import Settings

    return Settings().limits


def _with_distinct_names(files: list[EvidenceFile]) -> list[EvidenceFile]:
    """A name that occurs twice gets the bundle's before it."""
    used = Counter(file.name for file in files)
    return [
        replace(file, name=f"{file.bundle}/{file.name}") if file.bundle and used[file.name] > 1 else file
        for file in files
    ]


@dataclass
class _Reader:
    limits: Limits
    scratch: Path
    line: ProgressLine
    complain: Callable[[str], None]
    evidence: Evidence = field(default_factory=Evidence)
    no_evidence: dict[str, list[str]] = field(default_factory=dict)
    """Folder -> what else lies in it: nobody said that it was evidence."""

    def open(self, file: EvidenceFile, number: int) -> list[EvidenceFile]:
        """The members of a bundle, or the file itself."""
        try:
            archive = is_bundle(file.path)
            if not archive and not opens_to_files(file.path, self.limits):
                return [file]
            self.line.begin(f"opening {file.name}")
            scratch = self.scratch / f"bundle-{number}"
            expansion = open_bundle(file.path, scratch, self.limits, name=file.name)
        except (StallscopeError, OSError) as error:
            self.leave_out(file, error)
            return []
        self.evidence.left_out += left_out_of(expansion)
        for sentence in _about_bundle(expansion):
            self.say(f"{file.name}: {sentence}")
        if not archive:
            return [replace(file, path=m.path, name=m.name) for m in expansion.members]
        return [
            replace(file, path=m.path, name=m.name, origin=file.origin or file.name, bundle=file.name)
            for m in expansion.members
        ]

    def leave_out(self, file: EvidenceFile, error: Exception) -> None:
        """Name the file and why it is not used."""
        if isinstance(error, StallscopeError):
            why = error.sentence.removeprefix(f"{file.name}: ")
        elif isinstance(error, OSError):
            why = f"cannot be opened ({error.strerror})."
        else:
            why = str(error)
        if isinstance(error, NoEvidence) and file.origin and not file.bundle:
            self.no_evidence.setdefault(file.origin, []).append(file.name)
        else:
            self.say(f"{file.name}: {why}")
        self.evidence.left_out += LeftOut((NotUsedPart(name=file.name, why=why),), 1)

    def say_what_else_there_is(self) -> None:
        """One sentence for a folder, however many notes and photos are in it."""
        for folder, names in self.no_evidence.items():
            shown = ", ".join(names[:_NAMES_SHOWN])
            more = f" and {len(names) - _NAMES_SHOWN:,} more" if len(names) > _NAMES_SHOWN else ""
            self.say(f"{Path(folder).name}: not used, neither captures nor known dumps: {shown}{more}.")

    def say(self, sentence: str) -> None:
        """On a line of its own."""
        self.line.clear()
        self.complain(sentence)

    def take(self, file: EvidenceFile, ingested: Ingested) -> None:
        """Keep what was read."""
        self.evidence.ingested.append(ingested.came_in(file.origin, bundle=file.bundle))

    def take_or_leave(self, file: EvidenceFile, ingested: Ingested) -> None:
        """Who gives a text by itself is answered, whatever it is; of a folder, notes and logs are left out."""
        if file.origin and ingested.part.format == UNKNOWN_TEXT:
            why = "a text, but no line of it is of a known dump. Nothing of it was used."
            self.leave_out(file, NoEvidence(why))
        else:
            self.take(file, ingested)

    def read_one_by_one(self, files: Sequence[EvidenceFile]) -> None:
        """Here, in this process."""
        for number, file in enumerate(files, 1):
            self.line.begin(f"reading {file.name} ({number} of {len(files)})")
            try:
                ingested = ingest_file(
                    file.path,
                    name=file.name,
                    folder=None,
                    host=file.host,
                    captured_at_ns=file.captured_at_ns,
                    keep_packets=False,
                    progress=self.line.decoded,
                    limits=self.limits,
                )
            except (StallscopeError, OSError) as error:
                self.leave_out(file, error)
            else:
                self.take_or_leave(file, ingested)

    def is_worth_processes(self, files: Sequence[EvidenceFile]) -> bool:
        """Whether several captures are so large that it pays to decode them at the same time."""
        weights = sorted(_weight(file.path) for file in files)
        return _cores() > 1 and len(weights) > 1 and sum(weights[:-1]) >= SIDE_BY_SIDE_BYTES

    def read_side_by_side(self, files: Sequence[EvidenceFile]) -> None:
        """In as many children as there are cores; the order stays that of the files."""
        self.line.begin(f"reading {len(files)} files, {_cores()} at a time")
        from workers.cli.side_by_side import read_in_children  # which starts processes

        outcomes = read_in_children(
            [(file, self._tables(number)) for number, file in enumerate(files)],
            self.limits,
            cores=_cores(),
            progress=self.line.decoded,
        )
        for number, (file, error) in enumerate(zip(files, outcomes, strict=True)):
            if error is None:
                self.take_or_leave(file, load_ingested(self._tables(number)))
            else:
                self.leave_out(file, error)

    def _tables(self, number: int) -> Path:
        return self.scratch / f"tables-{number}"


def _about_bundle(expansion: Expansion) -> list[str]:
    warnings = list(expansion.warnings)
    if expansion.not_used_total:
        reasons = Counter(each.why for each in expansion.not_used).most_common(_REASONS_SHOWN)
        shown = ", ".join(f"{count:,} × {why}" for why, count in reasons)
        warnings.append(f"{expansion.not_used_total:,} files in it are not used ({shown} …).")
    return warnings


def _weight(path: Path) -> int:
    """Bytes to decode, as if none were packed; 0 for what is no capture."""
    try:
        identified = identify_file(path)
        size = path.stat().st_size
    except OSError:
        return 0
    if identified.kind != "capture":
        return 0
    return size * _PACKED_WEIGHT if identified.compression else size


def _cores() -> int:
    return len(os.sched_getaffinity(0))
