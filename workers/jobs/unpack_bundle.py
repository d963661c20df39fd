"""Opening a bundle: in the child its members become files, in the worker they become files of the investigation."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import uuid4

from backend.forensics.report import NotUsedPart
from backend.limits import Limits
from backend.services.receive_upload import forget_bytes
from backend.storage import evidence_files, investigations
from backend.storage.records import DECODED, FAILED, REFUSED, EvidenceFile, FileOutcome, NewMember
from backend.storage.store import Store
from workers.decode.bundles import Expansion
from workers.decode.identify import identify_file
from workers.decode.left_out import LeftOut, left_out_of, open_bundle
from workers.pipeline import hash_file

_MEMBERS: Final = "members"
_LEFT_OUT: Final = "left_out.json"


@dataclass(frozen=True)
class OpenedBundle:
    """What the child answers: each member and where its bytes are."""

    outcome: FileOutcome
    members: tuple[tuple[NewMember, Path], ...]


def open_in_child(path: Path, folder: Path, limits: Limits) -> OpenedBundle:
    """Unpack, hash, and write down what is left out; raises UnreadableInput."""
    expansion = open_bundle(path, folder / _MEMBERS, limits)
    left_out = left_out_of(expansion)
    told = {"files": [each.model_dump() for each in left_out.files], "total": left_out.total}
    (folder / _LEFT_OUT).write_text(json.dumps(told), encoding="utf-8")
    members = tuple(
        (
            NewMember(
                id=uuid4().hex,
                name=member.name,
                kind=member.kind,
                format=member.format,
                size_bytes=member.path.stat().st_size,
                sha256=hash_file(member.path),
            ),
            member.path,
        )
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


def keep_members(store: Store, bundle: EvidenceFile, opened: OpenedBundle, start: int) -> None:
    """Store the members' bytes and list them as files. Doing it twice replaces them."""
    new = [member for member, _ in opened.members]
    with store.database.writing() as session:
        evidence_files.hold_bytes(session)
        former = evidence_files.list_members(session, bundle.id)
        wanted = evidence_files.set_decoded(session, bundle.id, bundle.attempt, opened.outcome, start=start)
        if wanted:
            evidence_files.delete_members(session, bundle.id)
            evidence_files.add_members(session, bundle, new)
            investigations.touch_investigation(session, bundle.investigation_id)
            _adopt(store, opened)
    shutil.rmtree(store.file_folder(bundle.investigation_id, bundle.id) / _MEMBERS, ignore_errors=True)
    for gone in former if wanted else ():
        forget_bytes(store, gone)


def _adopt(store: Store, opened: OpenedBundle) -> None:
    for member, path in opened.members:
        if path.is_file():  # else an attempt whose rows could not be written has moved it
            os.replace(path, store.blobs.incoming_path(member.id))
            store.blobs.adopt(member.id, member.sha256)


def what_is_left_out(store: Store, files: list[EvidenceFile]) -> LeftOut:
    """Files that cannot be read, and what bundles hold beside evidence."""
    left_out = LeftOut()
    for file in files:
        if file.status in (REFUSED, FAILED):
            left_out += LeftOut((NotUsedPart(name=file.name, why=file.error or ""),), 1)
        told = store.file_folder(file.investigation_id, file.id) / _LEFT_OUT
        if file.status == DECODED and told.exists():
            read = json.loads(told.read_text(encoding="utf-8"))
            parts = tuple(NotUsedPart.model_validate(each) for each in read["files"])
            left_out += LeftOut(parts, read["total"])
    return left_out
