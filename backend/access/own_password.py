"""A member gives themselves another password."""

from __future__ import annotations

from backend.access.browser_sign_ins import begin_sign_in
from backend.access.manage_members import ADMIN_NAME
from backend.access.passwords import LONGEST, SHORTEST, hash_password, is_password
from backend.access.prepare import admin_password
from backend.access.rate_limit import RateLimiter
from backend.errors import Conflict, InvalidRequest, Refused
from backend.storage import members, sign_ins
from backend.storage.access_records import Member
from backend.storage.audit_log import Act, record_refusal, write_event
from backend.storage.store import Store


def change_own_password(
    store: Store, limiter: RateLimiter, address: str, member: Member, *, old: str, new: str
) -> str:
    """The secret of a new sign-in: all that there were end, wherever they are. Raises Refused for a wrong old
    password, TooManyAttempts, InvalidRequest or Conflict."""
    if member.issuer:
        raise Conflict("You sign in at the identity provider and have no password here.")
    if member.name == ADMIN_NAME and admin_password(store.settings):
        raise Conflict("The password of admin stands in the server's settings: change it there.")
    if not SHORTEST <= len(new) <= LONGEST:
        raise InvalidRequest(f"A password has {SHORTEST} to {LONGEST:,} characters.")
    with limiter.attempt("password", address, member.name):
        with store.database.reading() as session:
            stored = members.password_hash_of(session, member.name)
        if not is_password(old, stored):
            record_refusal(store.database, Act.CHANGE_PASSWORD, subject=member.name)
            raise Refused("The old password is wrong.")
    if new == old:
        raise InvalidRequest("The new password is the old one.")
    hashed = hash_password(new)
    with store.database.writing() as session:
        if members.password_hash_of(session, member.name) != stored:
            raise Conflict("The password was changed in the meantime.")
        members.change_member(session, member.id, password_hash=hashed)
        write_event(session, Act.CHANGE_PASSWORD, subject=member.name)
        sign_ins.delete_sign_ins_of(session, member.id)
    return begin_sign_in(store, member.id)
