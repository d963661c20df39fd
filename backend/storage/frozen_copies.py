"""Copies of an analysis that links go on showing after its investigation has changed.

A copy lies in a folder of its own below its investigation's, so that it goes with it. Its tables are hard links: nobody
writes into a table, an analysis puts new files in the place of old ones. Where the file system knows no hard links they
are copied.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter

from backend.storage.records import EvidenceFile, Investigation, Note

FROZEN: Final = "frozen"
_ABOUT: Final = "about.json"
_TEXTS: Final = "texts"


@dataclass(frozen=True)
class FrozenCopy:
    """An investigation as it was; two copies are the same when they are one folder."""

    folder: Path
    investigation: Investigation = field(compare=False)
    files: tuple[EvidenceFile, ...] = field(compare=False)
    notes: tuple[Note, ...] = field(compare=False)

    def text_path(self, sha256: str) -> Path:
        """Where the text of one of its dumps is."""
        return self.folder / _TEXTS / sha256


@dataclass(frozen=True)
class _About:
    investigation: Investigation
    files: tuple[EvidenceFile, ...]
    notes: tuple[Note, ...]


_ABOUT_TYPE = TypeAdapter(_About)


def write_copy(copy: FrozenCopy, source: Path, texts: dict[str, Path]) -> None:
    """Link the analysis and the tables of the copy's files below `source`, and texts of dumps by their hash.

    Raises FileNotFoundError when something of it went away meanwhile."""
    for part in ("analysis", *(f"files/{file.id}" for file in copy.files)):
        if (source / part).is_dir():
            _link_files(source / part, copy.folder / part)
    (copy.folder / _TEXTS).mkdir(parents=True)
    for sha256, path in texts.items():
        _link(path, copy.text_path(sha256))
    about = _About(copy.investigation, copy.files, copy.notes)
    # Last: a copy without it is none.
    (copy.folder / _ABOUT).write_bytes(_ABOUT_TYPE.dump_json(about))


def read_copy(folder: Path) -> FrozenCopy | None:
    """The copy in that folder, None where there is none."""
    try:
        about = _ABOUT_TYPE.validate_json((folder / _ABOUT).read_bytes())
    except FileNotFoundError:
        return None
    return FrozenCopy(folder, about.investigation, about.files, about.notes)


def remove_copy(folder: Path) -> None:
    """Remove a copy; it is no error when there is none. What is shared with others stays there."""
    shutil.rmtree(folder, ignore_errors=True)


def copies_below(packets: Path) -> Iterator[tuple[str, Path]]:
    """(id of its link, folder) of each copy of all investigations."""
    for folder in packets.glob(f"*/{FROZEN}/*"):
        yield folder.name, folder


def _link_files(source: Path, target: Path) -> None:
    target.mkdir(parents=True)
    for path in source.iterdir():
        # Captures laid ready for looks are not shown through links.
        if path.is_file() and path.suffix != ".capture":
            _link(path, target / path.name)


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except FileNotFoundError:
        raise
    except OSError:
        shutil.copy2(source, target)
