"""Whether a caller may do what a route does to what its address names."""

from __future__ import annotations

from collections.abc import Mapping

from backend.access.callers import Caller
from backend.access.rights import Need, Right, Whose
from backend.access.rules import Rule
from backend.errors import Refused, SignInNeeded
from backend.storage import evidence_files
from backend.storage.acting import Maker
from backend.storage.audit_log import record_refusal
from backend.storage.looks import LookFolder
from backend.storage.makers import Made, file_maker, investigation_maker, note_maker
from backend.storage.records import DECODED, EvidenceFile
from backend.storage.store import Store

ASKS_FOR = {
    Need.READ: "reading",
    Need.UPLOAD: "creating and uploading",
    Need.SHARE: "sharing",
    Need.DELETE: "deleting",
    Need.ADMIN: "members, tokens and settings",
}
NOT_YOURS = "This belongs to somebody else: only its owner or an admin may change, share or delete it."
NOT_OF_TOKEN = "A token may change only what it made itself."
NOT_YOUR_ORIGINAL = (
    "The original holds credentials, or has not been checked for them: only its owner or an admin may download "
    "bytes of it."
)


def check_rights(store: Store, caller: Caller, rule: Rule, address: str = "") -> None:
    """Raises SignInNeeded or Refused unless the caller may; NotFound for what is not there. What is refused goes into
    the audit log; strangers, who may be anybody, fill the log of the proxy instead."""
    try:
        _check(store, caller, rule)
    except Refused:
        if rule.act is not None:
            named = dict(rule.named)
            investigation_id = named.pop("investigation_id", "")
            record_refusal(
                store.database,
                rule.act,
                investigation_id=investigation_id,
                subject=" ".join(named.values()),
                actor=caller.actor(address),
            )
        raise


def _check(store: Store, caller: Caller, rule: Rule) -> None:
    _check_need(caller, rule.need)
    if caller.is_admin or rule.whose in (None, Whose.NOBODYS, Whose.SERVERS):
        return
    if rule.whose is Whose.ADDED and caller.kind == "member":
        return
    if rule.whose in (Whose.ORIGINAL, Whose.EXTRACT):
        _check_bytes(store, caller, rule.whose, rule.named)
        return
    made = _made(store, rule.whose, rule.named)
    asked = rule.whose is Whose.DISSECTION and _asked_for(store, caller, rule.named)
    if not asked and not may_change(caller, made):
        raise Refused(NOT_OF_TOKEN if caller.kind == "token" else NOT_YOURS)


def may_change(caller: Caller, made: Made) -> bool:
    """Whether it is the caller's own, or anybody's whom an admin speaks for."""
    if caller.is_admin:
        return True
    part = made.part or made.investigation
    if caller.token is not None:
        return Need.UPLOAD in caller.may and part.token_id == caller.token.id
    return caller.member is not None and caller.member.id in (made.investigation.owner_id, part.owner_id)


def may_download(caller: Caller, investigation: Maker, file: EvidenceFile) -> bool:
    """Whether the caller gets the bytes as they came. What nobody has looked through is kept like what holds
    credentials: a file that is not decoded (yet), and a bundle, in which there may be anything."""
    is_clear = file.status == DECODED and file.kind != "bundle" and not file.holds_credentials
    return is_clear or may_change(caller, Made(investigation, file.maker))


def rights_to(caller: Caller, investigation: Maker) -> list[Right]:
    """What the caller may do to that investigation; what was made in it by others is theirs besides."""
    if not may_change(caller, Made(investigation)):
        return []
    needs = {
        Right.CHANGE: Need.UPLOAD,
        Right.SHARE: Need.SHARE,
        Right.DELETE: Need.DELETE,
        Right.DOWNLOAD: Need.READ,
    }
    return [right for right, need in needs.items() if need in caller.may]


def _check_need(caller: Caller, need: Need) -> None:
    if need in caller.may:
        return
    if caller.kind == "nobody":
        raise SignInNeeded("This server asks who you are: sign in, or send an access token.")
    who = "This token's scope" if caller.kind == "token" else "Your role"
    raise Refused(f"{who} does not allow {ASKS_FOR[need]}.")


def _check_bytes(store: Store, caller: Caller, whose: Whose, named: Mapping[str, str]) -> None:
    investigation_id = named["investigation_id"]
    with store.database.reading() as session:
        investigation = investigation_maker(session, investigation_id)
        if whose is Whose.ORIGINAL:
            files = [evidence_files.get_file(session, investigation_id, named["file_id"])]
        else:
            wanted = _cut_from(store, investigation_id, named["look_id"])
            files = [evidence_files.get_file(session, investigation_id, file_id) for file_id in wanted]
    if not all(may_download(caller, investigation, file) for file in files):
        raise Refused(NOT_YOUR_ORIGINAL)


def _cut_from(store: Store, investigation_id: str, look_id: str) -> list[str]:
    """Ids of the files whose payload it holds."""
    request = LookFolder(store.investigation_folder(investigation_id), look_id).read().request
    if request.anonymise or request.kind == "anonymising":
        return []
    return [file.id for file in request.files]


def _made(store: Store, whose: Whose | None, named: Mapping[str, str]) -> Made:
    with store.database.reading() as session:
        if whose is Whose.FILE:
            file_id = named.get("file_id") or named["upload_id"]
            return file_maker(session, named["investigation_id"], file_id)
        if whose is Whose.NOTE:
            return note_maker(session, named["investigation_id"], named["note_id"])
        return Made(investigation_maker(session, named["investigation_id"]))


def _asked_for(store: Store, caller: Caller, named: Mapping[str, str]) -> bool:
    folder = store.investigation_folder(named["investigation_id"])
    return LookFolder(folder, named["look_id"]).was_asked_by(caller.actor("").key)
