"""Opens a bundle for the pipeline, and keeps account of what is no evidence."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from backend.errors import UnreadableInput
from backend.forensics.report import NotUsedPart
from backend.limits import Limits
from workers.decode.bundle_members import Expansion
from workers.decode.bundles import expand_bundle
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


def opens_to_files(path: Path, limits: Limits = Limits()) -> bool:  # noqa: B008 - frozen
    """Whether several files come out of it: an archive, or a text with packets in it. Raises OSError."""
    kind = identify_file(path).kind
    if kind != "text":
        return kind == "bundle"
    # Two dozen modules that only a text with packets in it needs.
    from workers.decode.printed.opening import holds_printed_packets

    return holds_printed_packets(path, limits)


def open_bundle(
    path: Path,
    folder: Path,
    limits: Limits = Limits(),  # noqa: B008 - frozen
    *,
    name: str = "text",
) -> Expansion:
    """Unpack what is evidence in an archive, or in a text of this name, into `folder`; raises UnreadableInput when
    nothing is."""
    if not is_bundle(path):
        from workers.decode.printed.members import expand_text

        return expand_text(path, name, folder, limits)
    expansion = expand_bundle(path, folder, limits)
    if not expansion.members:
        why = " ".join(expansion.warnings) or _what_it_holds(expansion)
        raise UnreadableInput(f"an archive without a capture or a known dump: {why} Nothing of it was used.")
    return expansion


def _what_it_holds(expansion: Expansion) -> str:
    if not expansion.not_used:
        return "it is empty."
    first, total = expansion.not_used[0], expansion.not_used_total
    others = "1 file in it is" if total == 1 else f"{total:,} files in it are"
    return f"{others} something else ({first.name}: {first.why})."


def left_out_of(expansion: Expansion) -> LeftOut:
    """What of a bundle is no evidence."""
    files = tuple(NotUsedPart(name=each.name, why=each.why) for each in expansion.not_used)
    return LeftOut(files, expansion.not_used_total)
