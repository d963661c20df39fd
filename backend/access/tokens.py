"""Access tokens for programs: ``stallscope_ID_SECRET``, shown once, in the Authorization header alone."""

from __future__ import annotations

import hmac
import re
import secrets
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from backend.access.browser_sign_ins import SECRET_BYTES, hash_of
from backend.access.callers import NOBODY, Caller
from backend.access.rate_limit import RateLimiter
from backend.access.rights import ROLE_GIVES, SCOPE_GIVES, Role, Scope
from backend.errors import Conflict, DiskFull, InvalidRequest, SignInNeeded
from backend.storage import access_tokens
from backend.storage.access_records import AccessToken
from backend.storage.audit_log import Act, write_event
from backend.storage.records import now_text
from backend.storage.store import Store

LONGEST_DAYS = 365
MOST = 1_000
NAME_LIMIT = 100
USE_NOTED_EVERY = timedelta(minutes=1)
"""A program that asks often writes no row each time."""
_FORM = re.compile(r"stallscope_([0-9a-f]{16})_([A-Za-z0-9_-]{43})")


@dataclass(frozen=True)
class NewToken:
    """A token at the only moment when its text is known."""

    token: AccessToken
    text: str


def issue_token(
    store: Store, name: str, scope: Scope, *, expires_days: int, member_id: str | None
) -> NewToken:
    """A new one; raises InvalidRequest or Conflict."""
    name = " ".join(name.split())
    if not 1 <= len(name) <= NAME_LIMIT or not name.isprintable():
        raise InvalidRequest(f"A token has a name of at most {NAME_LIMIT} characters that can be printed.")
    if not 1 <= expires_days <= LONGEST_DAYS:
        raise InvalidRequest(f"A token lives between 1 and {LONGEST_DAYS} days.")
    token_id, secret = secrets.token_hex(8), secrets.token_urlsafe(SECRET_BYTES)
    expires = datetime.now(UTC) + timedelta(days=expires_days)
    with store.database.writing() as session:
        if access_tokens.count_tokens(session) >= MOST:
            raise Conflict(f"There are {MOST} tokens: revoke some first.")
        made = access_tokens.add_token(
            session,
            token_id,
            name,
            scope,
            secret_sha256=hash_of(secret),
            member_id=member_id,
            expires=expires.isoformat(timespec="seconds").replace("+00:00", "Z"),
        )
        write_event(session, Act.CREATE_TOKEN, subject=f"{name}: {scope}")
    return NewToken(made, f"stallscope_{token_id}_{secret}")


def list_tokens(store: Store) -> list[AccessToken]:
    """All of them, expired ones too."""
    with store.database.reading() as session:
        return access_tokens.list_tokens(session)


def revoke_token(store: Store, token_id: str) -> None:
    """Revoke it permanently."""
    with store.database.writing() as session:
        found = access_tokens.find_token(session, token_id)
        access_tokens.delete_token(session, token_id)
        write_event(session, Act.REVOKE_TOKEN, subject=found.name if found else token_id)


def recognise_token(store: Store, limiter: RateLimiter, address: str, text: str) -> Caller:
    """Who the token stands for; raises SignInNeeded when it is none, TooManyAttempts when that came too often.

    It gives what its scope gives, and never more than the role of the member who made it.
    """
    form = _FORM.fullmatch(text)
    with limiter.attempt("token", address, form[1] if form else ""):
        token = _checked(store, form[1], form[2]) if form else None
        if token is None:
            raise SignInNeeded("This access token is unknown, revoked or expired.")
    noted_before = (datetime.now(UTC) - USE_NOTED_EVERY).isoformat().replace("+00:00", "Z")
    if token.last_used is None or token.last_used < noted_before:
        with suppress(DiskFull), store.database.writing() as session:
            access_tokens.note_use(session, token.id)
    return _as_caller(token)


def recognise_token_id(store: Store, token_id: str) -> Caller:
    """Who showed the whole token before, as things stand now."""
    with store.database.reading() as session:
        token = access_tokens.find_token(session, token_id)
    return NOBODY if token is None or _is_over(token) else _as_caller(token)


def _as_caller(token: AccessToken) -> Caller:
    may = SCOPE_GIVES[Scope(token.scope)]
    if token.member is not None:
        may &= ROLE_GIVES[Role(token.member.role)]
    return Caller("token", may, token.member, token)


def _is_over(token: AccessToken) -> bool:
    is_blocked = token.member is not None and token.member.blocked
    return is_blocked or token.expires <= now_text()


def _checked(store: Store, token_id: str, secret: str) -> AccessToken | None:
    with store.database.reading() as session:
        token = access_tokens.find_token(session, token_id)
    if token is None or not hmac.compare_digest(token.secret_sha256, hash_of(secret)):
        return None
    return None if _is_over(token) else token
