"""Members: who may sign in, and as what."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from backend.access.passwords import hash_password, is_password, new_password
from backend.access.rights import Role
from backend.errors import Conflict, InvalidRequest
from backend.storage import members, sign_ins
from backend.storage.access_records import Member
from backend.storage.audit_log import Act, write_event
from backend.storage.store import Store

ADMIN_NAME = "admin"
NAME_LIMIT = 100


@dataclass(frozen=True)
class NewPassword:
    """A member at the only moment when the password made for them is known."""

    member: Member
    password: str


def sign_in_name(text: str) -> str:
    """Names differ in more than capitals and spaces."""
    return " ".join(text.split()).casefold()


def ensure_admin(store: Store, password: str) -> None:
    """The member ``admin`` has this password, whatever happened before: the settings are the way back in."""
    with store.database.reading() as session:
        known = members.find_member(session, "", ADMIN_NAME)
        stored = members.password_hash_of(session, ADMIN_NAME)
    if known is None:
        with store.database.writing() as session:
            members.add_member(
                session, secrets.token_hex(8), ADMIN_NAME, Role.ADMIN, password_hash=hash_password(password)
            )
        return
    changed = None if is_password(password, stored) else hash_password(password)
    with store.database.writing() as session:
        members.change_member(session, known.id, role=Role.ADMIN, blocked=False, password_hash=changed)
        if changed is not None:
            sign_ins.delete_sign_ins_of(session, known.id)


def list_members(store: Store) -> list[Member]:
    """All of them."""
    with store.database.reading() as session:
        return members.list_members(session)


def add_member(store: Store, name: str, role: Role) -> NewPassword:
    """Someone who signs in with a password, which is made here."""
    name = sign_in_name(name)
    if not 1 <= len(name) <= NAME_LIMIT or not name.isprintable():
        raise InvalidRequest(f"A member has a name of at most {NAME_LIMIT} characters.")
    password = new_password()
    hashed = hash_password(password)
    with store.database.writing() as session:
        if members.find_member(session, "", name) is not None:
            raise Conflict("There is a member of this name already.")
        member = members.add_member(session, secrets.token_hex(8), name, role, password_hash=hashed)
        write_event(session, Act.ADD_MEMBER, subject=f"{name}: {role}")
    return NewPassword(member, password)


def give_new_password(store: Store, member_id: str) -> NewPassword:
    """For someone who lost theirs; it signs them out everywhere."""
    password = new_password()
    hashed = hash_password(password)
    with store.database.writing() as session:
        if members.get_member(session, member_id).issuer:
            raise Conflict("This member signs in at the identity provider and has no password here.")
        member = members.change_member(session, member_id, password_hash=hashed)
        write_event(session, Act.RESET_PASSWORD, subject=member.name)
        sign_ins.delete_sign_ins_of(session, member_id)
    return NewPassword(member, password)


def change_member(
    store: Store, member_id: str, *, role: Role | None = None, blocked: bool | None = None
) -> Member:
    """Another role, or no entry; holds from the next request on. Raises NotFound or Conflict."""
    with store.database.writing() as session:
        if role is not None and members.get_member(session, member_id).issuer:
            raise Conflict("This member's role follows from the settings for the identity provider.")
        member = members.change_member(session, member_id, role=role, blocked=blocked)
        is_blocked = ", blocked" if member.blocked else ""
        write_event(session, Act.CHANGE_MEMBER, subject=f"{member.name}: {member.role}{is_blocked}")
        if blocked:
            sign_ins.delete_sign_ins_of(session, member_id)
        if not members.count_admins(session):
            raise Conflict("This is the last admin; make somebody else one first.")
    return member


def remove_member(store: Store, member_id: str) -> None:
    """Remove a member with sessions and tokens; what they created is kept. Raises NotFound or Conflict."""
    with store.database.writing() as session:
        name = members.get_member(session, member_id).name
        members.delete_member(session, member_id)
        write_event(session, Act.REMOVE_MEMBER, subject=name)
        if not members.count_admins(session):
            raise Conflict("This is the last admin; make somebody else one first.")
