"""The child's part of a bundle: its members become files."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from backend.limits import Limits
from backend.storage.records import FileOutcome
from workers.decode.bundle_members import Expansion
from workers.decode.identify import identify_file
from workers.decode.left_out import left_out_of, open_bundle

MEMBERS: Final = "members"
LEFT_OUT: Final = "left_out.json"


@dataclass(frozen=True)
class OpenedMember:
    """One file that came out of a bundle."""

    name: str
    kind: Literal["capture", "dump"]
    format: str
    path: str
    """Of its bytes, below the folder of members."""


@dataclass(frozen=True)
class OpenedBundle:
    """What the child answers: each member and where its bytes are."""

    outcome: FileOutcome
    members: tuple[OpenedMember, ...]


def open_bundle_here(path: Path, name: str, folder: Path, limits: Limits) -> OpenedBundle:
    """Unpack, and write down what is left out; raises UnreadableInput."""
    expansion = open_bundle(path, folder / MEMBERS, limits, name=name)
    left_out = left_out_of(expansion)
    listed = {"files": [each.model_dump() for each in left_out.files], "total": left_out.total}
    (folder / LEFT_OUT).write_text(json.dumps(listed), encoding="utf-8")
    members = tuple(
        OpenedMember(member.name, member.kind, member.format, str(member.path.relative_to(folder / MEMBERS)))
        for member in expansion.members
    )
    identified = identify_file(path)
    return OpenedBundle(
        _outcome(expansion, ".".join(filter(None, (identified.format, identified.compression)))), members
    )


def _outcome(expansion: Expansion, format_name: str) -> FileOutcome:
    unused = [f"{expansion.not_used_total:,} files in it are not used."] if expansion.not_used_total else []
    return FileOutcome(
        kind="bundle",
        format=format_name,
        packets=0,
        lines=0,
        lines_not_understood=0,
        warnings=(*expansion.warnings, *unused),
        error=None,
    )
