"""Read-only links: 256 random bits that only the link holds, with an end and a way to close them."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Literal

from backend.errors import DiskFull, Gone, InvalidRequest, NotFound, Refused
from backend.services.freeze_investigation import delete_snapshot, freeze
from backend.services.read_report import read_finding
from backend.services.redaction.view_limits import check_view
from backend.services.share_sessions import is_over, is_session, is_signed, new_session
from backend.storage import investigations, shares
from backend.storage.acting import Actor, current_actor
from backend.storage.audit_log import Act, record_refusal, write_event
from backend.storage.records import Share, ShareView, now_text
from backend.storage.store import Store

SECRET_BYTES = 32
LONGEST_DAYS = 365
MADE_BY_CHARACTERS = 120
WRONG = "This link does not open anything: its secret part is missing or wrong."
SCRYPT = {"n": 2**14, "r": 8, "p": 1}
"""16 MiB and about 50 ms a guess (RFC 7914)."""


class PasswordNeeded(Refused):
    """Nobody has given one yet, which is no wrong guess."""


@dataclass(frozen=True)
class ShareOptions:
    """What a link is to show, and for how long."""

    expires_days: int
    finding_id: str = ""
    """Only this finding; empty for all."""
    addresses: Literal["names", "real"] = "names"
    payload: Literal["removed", "headers"] = "removed"
    """headers: paths, hosts and lookups of HTTP and DNS messages are shown."""
    shows: Literal["frozen", "live"] = "live"
    with_notes: bool = False
    view: ShareView | None = None
    password: str = ""
    show_title: bool = False
    made_by: str = ""


@dataclass(frozen=True)
class NewShare:
    """A link at the only moment when its secret is known."""

    share: Share
    secret: str

    @property
    def url_path(self) -> str:
        """The secret stands behind the #, which browsers do not send."""
        return f"/s/{self.share.id}#k={self.secret}"


def share_investigation(store: Store, investigation_id: str, options: ShareOptions) -> NewShare:
    """A new link; raises InvalidRequest for options that make no sense, NotFound for a finding that is none, Conflict
    where nothing can be frozen yet."""
    if not 1 <= options.expires_days <= LONGEST_DAYS:
        raise InvalidRequest(f"A link lives between 1 and {LONGEST_DAYS} days.")
    if options.finding_id:
        read_finding(store, investigation_id, options.finding_id)
    if options.view is not None:
        check_view(store, investigation_id, options.view)
    secret = secrets.token_urlsafe(SECRET_BYTES)
    with store.database.writing() as session:
        investigations.touch_investigation(session, investigation_id)
        investigations.get_investigation(session, investigation_id)
        share = shares.add_share(session, secrets.token_hex(8), investigation_id, _new_share(options, secret))
        write_event(session, Act.SHARE, investigation_id=investigation_id, subject=share.id)
    if share.shows == "frozen":
        try:
            freeze(store, share)
        except BaseException:
            with store.database.writing() as session:
                shares.forget_share(session, share.id)
                write_event(session, Act.REVOKE_LINK, investigation_id=investigation_id, subject=share.id)
            raise
    return NewShare(share, secret)


def _new_share(options: ShareOptions, secret: str) -> shares.NewShare:
    expires = datetime.now(UTC) + timedelta(days=options.expires_days)
    return shares.NewShare(
        secret_sha256=_hash(secret),
        expires=expires.isoformat(timespec="seconds").replace("+00:00", "Z"),
        finding_id=options.finding_id,
        addresses=options.addresses,
        payload=options.payload,
        shows=options.shows,
        with_notes=options.with_notes,
        view=options.view,
        made_by=options.made_by[:MADE_BY_CHARACTERS],
        password_hash=_password_hash(options.password, secrets.token_bytes(16)) if options.password else "",
        show_title=options.show_title,
    )


def list_shares(store: Store, investigation_id: str) -> list[Share]:
    """All links of an investigation, closed ones too."""
    with store.database.reading() as session:
        investigations.get_investigation(session, investigation_id)
        return shares.list_shares(session, investigation_id)


def revoke_share(store: Store, investigation_id: str, share_id: str) -> None:
    """Close a link for good; what was kept for it goes."""
    with store.database.writing() as session:
        shares.revoke_share(session, investigation_id, share_id)
        investigations.touch_investigation(session, investigation_id)
        share = shares.get_share(session, share_id)
        write_event(session, Act.REVOKE_LINK, investigation_id=investigation_id, subject=share_id)
    delete_snapshot(store, share)


def begin_session(store: Store, share_id: str, secret: str, password: str | None) -> tuple[Share, str]:
    """(the link, the token that opens its addresses); counts as one opening. Raises Refused, Gone."""
    try:
        share = _opened(store, share_id, secret)
        _check_password(share, password)
    except PasswordNeeded:
        raise
    except (Refused, Gone):
        _record_failed(store, share_id)
        raise
    with suppress(DiskFull), store.database.writing() as session:
        shares.count_opening(session, share_id)
        write_event(
            session,
            Act.OPEN_LINK,
            investigation_id=share.investigation_id,
            subject=share_id,
            actor=_who_opens(share_id),
        )
    return share, new_session(store, share)


def _check_password(share: Share, password: str | None) -> None:
    if not share.password_hash:
        return
    if not password:
        raise PasswordNeeded("This link asks for a password.")
    salt = bytes.fromhex(share.password_hash.partition(":")[0])
    if not hmac.compare_digest(share.password_hash, _password_hash(password, salt)):
        raise Refused("The password is wrong.")


def _record_failed(store: Store, share_id: str) -> None:
    """Of a link that there is: what is guessed at random does not fill the log."""
    with suppress(NotFound):
        with store.database.reading() as session:
            share = shares.get_share(session, share_id)
        record_refusal(
            store.database,
            Act.OPEN_LINK,
            investigation_id=share.investigation_id,
            subject=share_id,
            actor=_who_opens(share_id),
        )


def _who_opens(share_id: str) -> Actor:
    """A member who is signed in, or else nobody but the link."""
    actor = current_actor()
    return replace(actor, kind="link", id=share_id) if actor.kind in ("nobody", "local") else actor


def open_share(store: Store, share_id: str, token: str) -> Share:
    """The link that a session opens, or its secret itself where there is no password; raises Refused, or Gone when it
    was closed or has ended."""
    if not is_session(token):
        share = _opened(store, share_id, token)
        if share.password_hash:
            raise Refused("This link asks for a password.")
        return share
    found = _found(store, share_id)
    if found is None or not is_signed(store, found, token):
        raise Refused(WRONG)
    if is_over(token):
        raise Refused("This session has ended: open the link again.")
    return _checked_open(found)


def _opened(store: Store, share_id: str, secret: str) -> Share:
    share = _found(store, share_id)
    # Compared in either case: how long it takes says nothing of whether there is such a link.
    expected = share.secret_sha256 if share else _hash("")
    is_secret = hmac.compare_digest(expected, _hash(secret))
    if share is None or not is_secret:
        raise Refused(WRONG)
    return _checked_open(share)


def _found(store: Store, share_id: str) -> Share | None:
    try:
        with store.database.reading() as session:
            return shares.get_share(session, share_id)
    except NotFound:
        return None


def _checked_open(share: Share) -> Share:
    if share.revoked is not None:
        raise Gone(f"This link was closed on {share.revoked[:10]}.")
    if share.expires <= now_text():
        raise Gone(f"This link ended on {share.expires[:10]}.")
    return share


def _password_hash(password: str, salt: bytes) -> str:
    return f"{salt.hex()}:{hashlib.scrypt(password.encode(), salt=salt, **SCRYPT).hex()}"


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
