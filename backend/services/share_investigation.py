"""Read-only links: 256 random bits that only the link holds, with an end and a way to close them."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from backend.errors import Gone, InvalidRequest, NotFound, Refused
from backend.services.read_report import read_finding, read_report
from backend.services.redaction.finding_scope import FindingScope
from backend.services.redaction.private_texts import read_names
from backend.services.redaction.shared_view import SharedView
from backend.storage import investigations, shares
from backend.storage.records import Share, now_text
from backend.storage.store import Store

SECRET_BYTES = 32
LONGEST_DAYS = 365
WRONG = "This link does not open anything: its secret part is missing or wrong."
SCRYPT = {"n": 2**14, "r": 8, "p": 1}
"""16 MiB and about 50 ms a guess (RFC 7914)."""


@dataclass(frozen=True)
class ShareWish:
    """What a link is to show, and for how long."""

    expires_days: int
    finding_id: str = ""
    """Only this finding; empty for all."""
    addresses: Literal["names", "real"] = "names"
    password: str = ""
    show_title: bool = False


@dataclass(frozen=True)
class NewShare:
    """A link at the only moment when its secret is known."""

    share: Share
    secret: str

    @property
    def url_path(self) -> str:
        """The secret stands behind the #, which browsers do not send."""
        return f"/s/{self.share.id}#k={self.secret}"


def share_investigation(store: Store, investigation_id: str, wish: ShareWish) -> NewShare:
    """A new link; raises InvalidRequest for a lifetime that is none, NotFound for a finding that is none."""
    if not 1 <= wish.expires_days <= LONGEST_DAYS:
        raise InvalidRequest(f"A link lives between 1 and {LONGEST_DAYS} days.")
    if wish.finding_id:
        read_finding(store, investigation_id, wish.finding_id)
    secret = secrets.token_urlsafe(SECRET_BYTES)
    expires = datetime.now(UTC) + timedelta(days=wish.expires_days)
    new = shares.NewShare(
        secret_sha256=_hash(secret),
        expires=expires.isoformat(timespec="seconds").replace("+00:00", "Z"),
        finding_id=wish.finding_id,
        addresses=wish.addresses,
        password_hash=_password_hash(wish.password, secrets.token_bytes(16)) if wish.password else "",
        show_title=wish.show_title,
    )
    with store.database.writing() as session:
        investigations.touch_investigation(session, investigation_id)
        investigations.get_investigation(session, investigation_id)
        share = shares.add_share(session, secrets.token_hex(8), investigation_id, new)
    return NewShare(share, secret)


def list_shares(store: Store, investigation_id: str) -> list[Share]:
    """All links of an investigation, closed ones too."""
    with store.database.reading() as session:
        investigations.get_investigation(session, investigation_id)
        return shares.list_shares(session, investigation_id)


def revoke_share(store: Store, investigation_id: str, share_id: str) -> None:
    """Close a link for good."""
    with store.database.writing() as session:
        shares.revoke_share(session, investigation_id, share_id)
        investigations.touch_investigation(session, investigation_id)


def begin_session(store: Store, share_id: str, secret: str, password: str | None) -> tuple[Share, str]:
    """(the link, the token that opens its addresses); counts as one opening. Raises Refused, Gone."""
    share = _opened(store, share_id, secret)
    if share.password_hash:
        if not password:
            raise Refused("This link asks for a password.")
        salt = bytes.fromhex(share.password_hash.partition(":")[0])
        if not hmac.compare_digest(share.password_hash, _password_hash(password, salt)):
            raise Refused("The password is wrong.")
    with store.database.writing() as session:
        shares.count_opening(session, share_id)
    return share, f"{secret}{_proof(share, secret)}"


def open_share(store: Store, share_id: str, token: str) -> Share:
    """The link a session's token opens; raises Refused, or Gone when it was closed or has ended."""
    secret, dot, _ = token.partition(".")
    share = _opened(store, share_id, secret)
    if not hmac.compare_digest(token[len(secret) :], _proof(share, secret)):
        raise Refused("This link asks for a password." if not dot else WRONG)
    return share


def preview(store: Store, share_id: str) -> tuple[str, str]:
    """(title, description) for chats: what was found only where the link's maker wanted that shown, in its names."""
    title = "Packet investigation"
    try:
        with store.database.reading() as session:
            share = shares.get_share(session, share_id)
    except NotFound:
        return title, ""
    if share.revoked is not None or share.expires <= now_text():
        return title, "This link has ended."
    return _told(store, share) or title, f"expires {share.expires[:10]}"


def _told(store: Store, share: Share) -> str:
    if not share.show_title or share.password_hash:
        return ""
    try:
        diagnoses = read_report(store, share.investigation_id).diagnoses
    except NotFound:
        return ""
    found = [each for each in diagnoses if not share.finding_id or share.finding_id in each.findings]
    statement = found[0].statement if found else ""
    return (
        read_names(store, share.investigation_id).text(statement) if share.addresses == "names" else statement
    )


def shared_view(store: Store, share: Share) -> SharedView | None:
    """The rules of a link; None where it shows everything as it is."""
    if share.addresses == "real" and not share.finding_id:
        return None
    names = read_names(store, share.investigation_id) if share.addresses == "names" else None
    report = read_report(store, share.investigation_id) if share.finding_id else None
    return SharedView(names, FindingScope(report, share.finding_id) if report else None)


def _opened(store: Store, share_id: str, secret: str) -> Share:
    try:
        with store.database.reading() as session:
            share = shares.get_share(session, share_id)
    except NotFound:
        raise Refused(WRONG) from None
    if not hmac.compare_digest(share.secret_sha256, _hash(secret)):
        raise Refused(WRONG)
    if share.revoked is not None:
        raise Gone(f"This link was closed on {share.revoked[:10]}.")
    if share.expires <= now_text():
        raise Gone(f"This link ended on {share.expires[:10]}.")
    return share


def _proof(share: Share, secret: str) -> str:
    """What a token carries behind the secret once the password was given; empty for a link without one."""
    if not share.password_hash:
        return ""
    return "." + hmac.new(share.password_hash.encode(), secret.encode(), hashlib.sha256).hexdigest()


def _password_hash(password: str, salt: bytes) -> str:
    return f"{salt.hex()}:{hashlib.scrypt(password.encode(), salt=salt, **SCRYPT).hex()}"


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
