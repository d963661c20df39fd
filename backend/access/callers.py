"""Who asks, told by the cookie of a sign-in or by a token; and whether they may."""

from __future__ import annotations

from dataclasses import dataclass

from backend.access.rights import EVERYTHING, ROLE_GIVES, Need, Role
from backend.errors import Refused, SignInNeeded
from backend.storage import investigations
from backend.storage.access_records import Member
from backend.storage.store import Store


@dataclass(frozen=True)
class Caller:
    """Who asks."""

    kind: str
    """``local`` (nobody signs in on this server), ``member``, ``token`` or ``nobody``."""
    may: frozenset[Need]
    member: Member | None = None
    sign_in_id: str = ""
    """Of the browser, where a member signed in."""
    next_secret: str = ""
    """What the browser's cookie shall hold from now on; empty for no change."""

    @property
    def member_id(self) -> str | None:
        """Who owns what is created."""
        return self.member.id if self.member else None


LOCAL = Caller("local", EVERYTHING)
NOBODY = Caller("nobody", frozenset({Need.OPEN}))
ASKS_FOR = {
    Need.READ: "reading",
    Need.UPLOAD: "creating and uploading",
    Need.SHARE: "sharing",
    Need.DELETE: "deleting",
    Need.ADMIN: "members, tokens and settings",
}


def as_member(member: Member, *, sign_in_id: str, next_secret: str = "") -> Caller:
    """A browser that is signed in."""
    return Caller("member", ROLE_GIVES[Role(member.role)], member, sign_in_id, next_secret)


def check_rights(store: Store, caller: Caller, need: Need, investigation_id: str | None) -> None:
    """Raises SignInNeeded or Refused unless the caller may; what is one's own may be deleted by analysts."""
    if need in caller.may:
        own_only = need is Need.DELETE and Need.ADMIN not in caller.may
        if own_only and not _owns(store, caller, investigation_id):
            raise Refused("Only who created an investigation, or an admin, may delete of it.")
        return
    if caller.kind == "nobody":
        raise SignInNeeded("This server asks who you are: sign in, or send an access token.")
    who = "This token's scope" if caller.kind == "token" else "Your role"
    raise Refused(f"{who} does not allow {ASKS_FOR[need]}.")


def _owns(store: Store, caller: Caller, investigation_id: str | None) -> bool:
    if investigation_id is None or caller.member_id is None:
        return False
    with store.database.reading() as session:
        return investigations.owner_of(session, investigation_id) == caller.member_id
