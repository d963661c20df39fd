"""Sign in with name and password."""

from __future__ import annotations

from dataclasses import dataclass

from backend.access.browser_sign_ins import begin_sign_in
from backend.access.manage_members import sign_in_name
from backend.access.passwords import is_password
from backend.access.rate_limit import RateLimiter
from backend.errors import SignInNeeded
from backend.storage import members
from backend.storage.access_records import Member
from backend.storage.audit_log import Act, record_refusal
from backend.storage.store import Store


@dataclass(frozen=True)
class SignedIn:
    """A member, and the secret that the browser keeps from now on."""

    member: Member
    secret: str


def sign_in_with_password(
    store: Store, limiter: RateLimiter, address: str, *, name: str, password: str
) -> SignedIn:
    """Raises SignInNeeded, the same in the same time whether name or password is wrong; or TooManyAttempts."""
    name = sign_in_name(name)
    with limiter.attempt("password", address, name):
        with store.database.reading() as session:
            stored = members.password_hash_of(session, name)
            member = members.find_member(session, "", name)
        if not is_password(password, stored) or member is None or member.blocked:
            # A name that nobody has may be a password typed into the wrong field.
            record_refusal(store.database, Act.SIGN_IN, subject=member.name if member else "unknown name")
            raise SignInNeeded("Name or password is wrong.")
    return SignedIn(member, begin_sign_in(store, member.id))
