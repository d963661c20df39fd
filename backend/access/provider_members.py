"""The member that a person of the identity provider is; their role follows from the settings at each sign-in."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from backend.access.browser_sign_ins import begin_sign_in
from backend.access.manage_members import NAME_LIMIT
from backend.access.password_sign_in import SignedIn
from backend.access.provider_settings import Provider, role_of
from backend.access.rights import Role
from backend.errors import Refused
from backend.storage import members, sign_ins
from backend.storage.audit_log import Act, record_refusal, write_event
from backend.storage.store import Store


class NotAllowed(Refused):
    """Known to the provider, and nobody here."""


class Blocked(Refused):
    """An admin has blocked the member."""


def sign_in_from_provider(store: Store, provider: Provider, claims: Mapping[str, Any]) -> SignedIn:
    """Sign the person in; raises NotAllowed or Blocked."""
    role = role_of(provider, claims)
    subject, name = str(claims["sub"]), _name(claims)
    if role is None:
        _take_away(store, provider, subject)
        record_refusal(store.database, Act.SIGN_IN, subject=name)
        raise NotAllowed("Nobody has given you a role here.")
    with store.database.writing() as session:
        known = members.find_member(session, provider.issuer, subject)
        if known is not None and known.blocked:
            raise Blocked("An admin has blocked this member.")
        if known is None:
            write_event(session, Act.ADD_MEMBER, subject=f"{name}: {role}")
            member = members.add_member(
                session, secrets.token_hex(8), name, role, issuer=provider.issuer, subject=subject
            )
        else:
            if known.role != role:
                write_event(session, Act.CHANGE_MEMBER, subject=f"{name}: {role}")
            member = members.change_member(session, known.id, name=name, role=role)
    return SignedIn(member, begin_sign_in(store, member.id))


def _take_away(store: Store, provider: Provider, subject: str) -> None:
    """Who had a role and has none any more keeps no sign-in, and tokens that read at most."""
    with store.database.writing() as session:
        known = members.find_member(session, provider.issuer, subject)
        if known is not None:
            members.change_member(session, known.id, role=Role.VIEWER)
            sign_ins.delete_sign_ins_of(session, known.id)


def _name(claims: Mapping[str, Any]) -> str:
    for claim in ("email", "preferred_username", "name", "sub"):
        value = claims.get(claim)
        if isinstance(value, str) and value.strip():
            readable = "".join(letter for letter in value if letter.isprintable())
            return readable[:NAME_LIMIT]
    return "?"
