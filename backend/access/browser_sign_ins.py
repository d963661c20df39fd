"""Browsers that are signed in: a random secret in a cookie, replaced every quarter of an hour of use."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from backend.access.callers import NOBODY, Caller, as_member
from backend.errors import DiskFull
from backend.storage import members, sign_ins
from backend.storage.access_records import SignIn
from backend.storage.acting import Actor, current_actor
from backend.storage.audit_log import Act, write_event
from backend.storage.store import Store

SECRET_BYTES = 32
LASTS = timedelta(days=7)
UNUSED_LASTS = timedelta(hours=24)
ROTATES_AFTER = timedelta(minutes=15)
GRACE = timedelta(seconds=60)
"""Requests that were under way with the secret before a rotation."""


def begin_sign_in(store: Store, member_id: str) -> str:
    """The secret for the cookie; it is new with each sign-in, so none can be prepared by somebody else."""
    secret = secrets.token_urlsafe(SECRET_BYTES)
    expires = _text(datetime.now(UTC) + LASTS)
    with store.database.writing() as session:
        member = members.change_member(session, member_id, signed_in=True)
        address = current_actor().address
        write_event(session, Act.SIGN_IN, actor=Actor("member", member.id, member.name, address, member.id))
        sign_ins.add_sign_in(
            session, secrets.token_hex(8), member_id, secret_sha256=hash_of(secret), expires=expires
        )
    return secret


def end_sign_in(store: Store, sign_in_id: str) -> None:
    """Sign the browser out; the server forgets it, not just the browser."""
    with store.database.writing() as session:
        write_event(session, Act.SIGN_OUT)
        sign_ins.delete_sign_in(session, sign_in_id)


def recognise_browser(store: Store, secret: str, now: datetime | None = None) -> Caller:
    """Who the cookie stands for; NOBODY when it is unknown, too old, or its member is blocked."""
    now = now or datetime.now(UTC)
    shown = hash_of(secret)
    with store.database.reading() as session:
        known = sign_ins.find_sign_in(session, shown)
    if known is None or _is_over(known, now):
        return NOBODY
    if hmac.compare_digest(known.secret_sha256, shown):
        return _with_newest(store, known, shown, now)
    return _with_previous(store, known, shown, now)


def recognise_sign_in(store: Store, sign_in_id: str) -> Caller:
    """Who was recognised by its secret before, as things stand now."""
    with store.database.reading() as session:
        known = sign_ins.get_sign_in(session, sign_in_id)
    if known is None or _is_over(known, datetime.now(UTC)):
        return NOBODY
    return as_member(known.member, sign_in_id=known.id)


def _is_over(known: SignIn, now: datetime) -> bool:
    is_old = known.expires <= _text(now) or known.rotated <= _text(now - UNUSED_LASTS)
    return is_old or known.member.blocked


def _with_newest(store: Store, known: SignIn, shown: str, now: datetime) -> Caller:
    if known.rotated <= _text(now - ROTATES_AFTER):
        return _rotated(store, known, shown)
    if known.confirmed is None and known.previous_sha256:
        with suppress(DiskFull), store.database.writing() as session:
            sign_ins.confirm(session, known.id)
    return as_member(known.member, sign_in_id=known.id)


def _with_previous(store: Store, known: SignIn, shown: str, now: datetime) -> Caller:
    if known.confirmed is None:
        # The answer that carried the newest secret was lost, or is still under way.
        if known.rotated <= _text(now - GRACE):
            return _rotated(store, known, shown)
    elif known.confirmed <= _text(now - GRACE):
        # The browser has had a newer one for a while: somebody else shows this one.
        end_sign_in(store, known.id)
        return NOBODY
    return as_member(known.member, sign_in_id=known.id)


def _rotated(store: Store, known: SignIn, shown: str) -> Caller:
    secret = secrets.token_urlsafe(SECRET_BYTES)
    changed = False
    # On a full disk the browser keeps its secret a little longer: its member has to sign in to delete.
    with suppress(DiskFull), store.database.writing() as session:
        changed = sign_ins.rotate(session, known, shown_sha256=shown, next_sha256=hash_of(secret))
    return as_member(known.member, sign_in_id=known.id, next_secret=secret if changed else "")


def hash_of(secret: str) -> str:
    """SHA-256 is enough for 256 random bits."""
    return hashlib.sha256(secret.encode()).hexdigest()


def _text(moment: datetime) -> str:
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")
