"""Opens a bundle for the pipeline, and keeps account of what is no evidence."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from backend.errors import UnreadableInput
from backend.forensics.report import NotUsedPart
from backend.limits import Limits
from workers.decode.bundles import Expansion, expand_bundle
from workers.decode.identify import identify_file


@dataclass(frozen=True)
class LeftOut:
    """Files that are no evidence; of a large bundle only the first are named."""

    files: tuple[NotUsedPart, ...] = ()
    total: int = 0

    def __add__(self, other: LeftOut) -> LeftOut:
        return LeftOut(self.files + other.files, self.total + other.total)


def is_bundle(path: Path) -> bool:
    """Whether the file is an archive of files. Raises OSError."""
    return identify_file(path).kind == "bundle"


def open_bundle(path: Path, folder: Path, limits: Limits = Limits()) -> Expansion:  # noqa: B008 - frozen
    """Unpack what is evidence in an archive into `folder`; raises UnreadableInput when nothing is."""
    expansion = expand_bundle(path, folder, limits)
    if not expansion.members:
        why = " ".join(expansion.warnings) or f"{expansion.not_used_total:,} files in it are something else."
        raise UnreadableInput(f"an archive without a capture or a known dump: {why} Nothing of it was used.")
    return expansion


def left_out_of(expansion: Expansion) -> LeftOut:
    """What of a bundle is no evidence."""
    files = tuple(NotUsedPart(name=each.name, why=each.why) for each in expansion.not_used)
    return LeftOut(files, expansion.not_used_total)
