"""Who asks, recognized by the cookie of a sign-in or by a token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from backend.access.rights import EVERYTHING, ROLE_GIVES, Need, Role
from backend.storage.access_records import AccessToken, Member
from backend.storage.acting import Actor


@dataclass(frozen=True)
class Caller:
    """Who asks."""

    kind: Literal["local", "member", "token", "nobody"]
    """``local``: nobody signs in on this server."""
    may: frozenset[Need]
    member: Member | None = None
    """Of a token: who made it."""
    token: AccessToken | None = None
    sign_in_id: str = ""
    """Of the browser, where a member signed in."""
    next_secret: str = ""
    """What the browser's cookie shall hold from now on; empty for no change."""

    @property
    def is_admin(self) -> bool:
        """Whether they may change whatever belongs to others."""
        return Need.ADMIN in self.may

    @property
    def name(self) -> str:
        """Of the token or the member; empty where nobody signs in."""
        if self.token is not None:
            return self.token.name
        return self.member.name if self.member else ""

    def actor(self, address: str) -> Actor:
        """Who makes what is made for this request."""
        member_id = self.member.id if self.member else None
        return Actor(
            self.kind, self.token.id if self.token else member_id or "", self.name, address, member_id
        )


LOCAL = Caller("local", EVERYTHING)
NOBODY = Caller("nobody", frozenset({Need.OPEN}))


def as_member(member: Member, *, sign_in_id: str, next_secret: str = "") -> Caller:
    """A browser that is signed in."""
    return Caller(
        "member", ROLE_GIVES[Role(member.role)], member, sign_in_id=sign_in_id, next_secret=next_secret
    )
