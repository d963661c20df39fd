"""Read-only links: 256 random bits that only the link holds, with an end and a way to close them."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from backend.errors import Gone, InvalidRequest, NotFound, Refused
from backend.storage import investigations, shares
from backend.storage.records import Share, now_text
from backend.storage.store import Store

SECRET_BYTES = 32
LONGEST_DAYS = 365


@dataclass(frozen=True)
class NewShare:
    """A link at the only moment when its secret is known."""

    share: Share
    secret: str

    @property
    def url_path(self) -> str:
        """The secret stands behind the #, which browsers do not send."""
        return f"/s/{self.share.id}#k={self.secret}"


def share_investigation(store: Store, investigation_id: str, expires_days: int) -> NewShare:
    """A new link to the whole investigation."""
    if not 1 <= expires_days <= LONGEST_DAYS:
        raise InvalidRequest(f"A link lives between 1 and {LONGEST_DAYS} days.")
    secret = secrets.token_urlsafe(SECRET_BYTES)
    expires = datetime.now(UTC) + timedelta(days=expires_days)
    with store.database.writing() as session:
        investigations.touch_investigation(session, investigation_id)
        investigations.get_investigation(session, investigation_id)
        share = shares.add_share(
            session,
            secrets.token_hex(8),
            investigation_id,
            secret_sha256=_hash(secret),
            expires=expires.isoformat(timespec="seconds").replace("+00:00", "Z"),
        )
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


def open_share(store: Store, share_id: str, secret: str) -> Share:
    """The link, if the secret is its own; raises Refused, or Gone when it was closed or has ended."""
    try:
        with store.database.reading() as session:
            share = shares.get_share(session, share_id)
    except NotFound:
        raise Refused("This link does not open anything: its secret part is missing or wrong.") from None
    if not hmac.compare_digest(share.secret_sha256, _hash(secret)):
        raise Refused("This link does not open anything: its secret part is missing or wrong.")
    if share.revoked is not None:
        raise Gone(f"This link was closed on {share.revoked[:10]}.")
    if share.expires <= now_text():
        raise Gone(f"This link ended on {share.expires[:10]}.")
    return share


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
