"""Callers of every kind, and things that one of them has made."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from uuid import uuid4

import httpx

from backend.access.manage_members import add_member
from backend.access.rights import Role, Scope
from backend.access.tokens import issue_token
from backend.api.tests.guarded_server import signed_in, visitor
from backend.services.create_investigation import create_investigation
from backend.services.receive_upload import append_bytes, begin_upload, complete_upload
from backend.services.share_investigation import NewShare, ShareOptions, share_investigation
from backend.services.write_notes import write_note
from backend.storage import comparisons, evidence_files, members
from backend.storage.acting import Actor, acting
from backend.storage.looks import LookFile, LookFolder, LookRequest
from backend.storage.notes import NewNote
from backend.storage.records import EvidenceFile, FileKind, FileOutcome, StoredComparison
from backend.storage.store import Store

DUMP = b"cpu=0 found=1 insert_failed=3\n"
OTHER_DUMP = b"cpu=0 found=1 insert_failed=4\n"


@dataclass(frozen=True)
class People:
    """Who asks, and as whom what they make is recorded."""

    clients: dict[str, httpx.Client]
    actors: dict[str, Actor] = field(default_factory=dict)


@dataclass(frozen=True)
class Things:
    """One investigation with a part of each kind."""

    investigation: str
    file: EvidenceFile
    upload: EvidenceFile
    note: str
    link: NewShare
    look: str
    comparison: str

    @property
    def address(self) -> str:
        """Of the investigation."""
        return f"/api/v1/investigations/{self.investigation}"


@contextmanager
def people(store: Store, address: str) -> Iterator[People]:
    """``owner`` and ``other`` are analysts; ``maker`` and ``other token`` upload."""
    found = People({"stranger": visitor(address), "admin": signed_in(address)})
    with store.database.reading() as session:
        admin = members.find_member(session, "", "admin")
    assert admin is not None
    for name, role in (("owner", Role.ANALYST), ("other", Role.ANALYST), ("viewer", Role.VIEWER)):
        made = add_member(store, name, role)
        found.clients[name] = signed_in(address, name, made.password)
        found.actors[name] = Actor("member", made.member.id, name, "", made.member.id)
    tokens = {
        "maker": Scope.UPLOAD,
        "other token": Scope.UPLOAD,
        "read token": Scope.READ,
        "admin token": Scope.ADMIN,
    }
    for name, scope in tokens.items():
        token = issue_token(store, name, scope, expires_days=1, member_id=admin.id)
        found.clients[name] = visitor(address, Authorization=f"Bearer {token.text}")
        found.actors[name] = Actor("token", token.token.id, name, "", admin.id)
    with ExitStack() as closing:
        for client in found.clients.values():
            closing.enter_context(client)
        yield found


def things_of(
    store: Store, actor: Actor, *, kind: FileKind = "dump", holds_credentials: bool = False
) -> Things:
    """What that one has made; its complete file is decoded, as `kind`."""
    with acting(actor):
        investigation = create_investigation(store, "incident").id
        file = begin_upload(store, investigation, "stats.txt", len(DUMP))
        append_bytes(store, file, DUMP)
        file = complete_upload(store, file)
        upload = begin_upload(store, investigation, "half.txt", len(DUMP))
        note = write_note(store, investigation, NewNote("note", "look here")).id
        link = share_investigation(store, investigation, ShareOptions(1))
    compared = StoredComparison(
        uuid4().hex[:16],
        investigation,
        investigation,
        1,
        1,
        "2026-01-01T00:00:00Z",
        "same",
        "No change.",
        True,
    )
    outcome = FileOutcome(kind, "pcap", 1, 1, 0, (), None, holds_credentials=holds_credentials)
    with store.database.writing() as session:
        evidence_files.set_decoded(session, file.id, file.attempt, outcome)
        file = evidence_files.get_file(session, investigation, file.id)
        comparisons.add_comparison(session, compared, "{}")
    folder = LookFolder(store.investigation_folder(investigation), secrets.token_hex(12))
    asked = LookFile(file.id, file.name, file.sha256, holds_credentials)
    folder.begin(LookRequest("carving", (asked,), name="packets.pcapng"), 1)
    folder.note_asker(actor.key)
    return Things(investigation, file, upload, note, link, folder.id, compared.id)
