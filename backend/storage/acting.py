"""Who acts: set once for each request, read where rows are written, so that no route can forget to say it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal

ActorKind = Literal["local", "member", "token", "link", "nobody"]


@dataclass(frozen=True)
class Maker:
    """Who made something: a member, or a token (with the member who made that token, if there was one)."""

    owner_id: str | None = None
    token_id: str | None = None


@dataclass(frozen=True)
class Actor:
    """Who acts, and from where."""

    kind: ActorKind
    id: str = ""
    """Of the member, the token or the link."""
    name: str = ""
    address: str = ""
    member_id: str | None = None
    """The member; of a token the one who made it."""

    @property
    def maker(self) -> Maker:
        """What is recorded with the things that are made now."""
        return Maker(self.member_id, self.id if self.kind == "token" else None)

    @property
    def key(self) -> str:
        """One text for each member and each token, which no other has."""
        return f"{self.kind}:{self.id}"


LOCAL_ACTOR = Actor("local")
_CURRENT: ContextVar[Actor] = ContextVar("actor", default=LOCAL_ACTOR)


def current_actor() -> Actor:
    """Who acts now; outside of requests the user of this machine."""
    return _CURRENT.get()


@contextmanager
def acting(actor: Actor) -> Iterator[None]:
    """While this lasts, also in the threads that are begun in it, that one acts."""
    before = _CURRENT.set(actor)
    try:
        yield
    finally:
        _CURRENT.reset(before)
