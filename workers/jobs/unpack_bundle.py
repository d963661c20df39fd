"""What a child has unpacked of a bundle becomes files of the investigation."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

from backend.errors import UnreadableInput
from backend.forensics.report import NotUsedPart
from backend.services.receive_upload import forget_bytes
from backend.storage import evidence_files, investigations
from backend.storage.records import DECODED, FAILED, REFUSED, EvidenceFile, NewMember
from backend.storage.store import Store
from workers.decode.left_out import LeftOut
from workers.jobs.open_in_child import LEFT_OUT, MEMBERS, OpenedBundle, OpenedMember
from workers.pipeline import hash_file


def keep_members(store: Store, bundle: EvidenceFile, opened: OpenedBundle, start: int) -> None:
    """Store the members' bytes and list them as files. Doing it twice replaces them."""
    folder = store.file_folder(bundle.investigation_id, bundle.id)
    # Numbers and hashes are ours: a child that names the hash of another file must not get that file.
    members = [(_new_member(member, path), path) for member, path in _in_folder(opened, folder)]
    new = [member for member, _ in members]
    with store.database.writing() as session:
        evidence_files.hold_bytes(session)
        former = evidence_files.list_members(session, bundle.id)
        wanted = evidence_files.set_decoded(session, bundle.id, bundle.attempt, opened.outcome, start=start)
        if wanted:
            evidence_files.delete_members(session, bundle.id)
            evidence_files.add_members(session, bundle, new)
            investigations.touch_investigation(session, bundle.investigation_id)
            _adopt(store, members)
    shutil.rmtree(folder / MEMBERS, ignore_errors=True)
    for gone in former if wanted else ():
        forget_bytes(store, gone)


def _in_folder(opened: OpenedBundle, folder: Path) -> Iterator[tuple[OpenedMember, Path]]:
    """Each member and its file. Raises UnreadableInput for one that lies elsewhere."""
    inside = (folder / MEMBERS).resolve()
    for member in opened.members:
        path = (inside / member.path).resolve()
        if not path.is_relative_to(inside):
            raise UnreadableInput("Its members could not be unpacked.")
        yield member, path


def _new_member(member: OpenedMember, path: Path) -> NewMember:
    return NewMember(
        id=uuid4().hex,
        name=member.name,
        kind=member.kind,
        format=member.format,
        size_bytes=path.stat().st_size,
        sha256=hash_file(path),
    )


def _adopt(store: Store, members: list[tuple[NewMember, Path]]) -> None:
    for member, path in members:
        if path.is_file():  # else an attempt whose rows could not be written has moved it
            os.replace(path, store.blobs.incoming_path(member.id))
            store.blobs.adopt(member.id, member.sha256)


def what_is_left_out(store: Store, files: list[EvidenceFile]) -> LeftOut:
    """Files that cannot be read, and what bundles hold beside evidence."""
    left_out = LeftOut()
    for file in files:
        if file.status in (REFUSED, FAILED):
            left_out += LeftOut((NotUsedPart(name=file.name, why=file.error or ""),), 1)
        listed = store.file_folder(file.investigation_id, file.id) / LEFT_OUT
        if file.status == DECODED and listed.exists():
            read = json.loads(listed.read_text(encoding="utf-8"))
            parts = tuple(NotUsedPart.model_validate(each) for each in read["files"])
            left_out += LeftOut(parts, read["total"])
    return left_out
