"""Sessions of share links: what a browser keeps after the secret was shown. Short, signed, and stored nowhere."""

from __future__ import annotations

import hashlib
import hmac
import re
from datetime import UTC, datetime, timedelta

from backend.storage.records import Share
from backend.storage.server_key import server_key
from backend.storage.store import Store

LASTS = timedelta(hours=1)
"""Unused; in use it is renewed, and never beyond the link's own end."""
RENEWED_AFTER = timedelta(minutes=5)
_FORM = re.compile(r"([0-9]{1,12})\.([0-9a-f]{64})")


def new_session(store: Store, share: Share, now: datetime | None = None) -> str:
    """``1795219901.9f86…``: until when, and a signature that nobody outside can make."""
    ends = min((now or datetime.now(UTC)) + LASTS, datetime.fromisoformat(share.expires))
    text = str(int(ends.timestamp()))
    return f"{text}.{_signature(store, share, text)}"


def is_session(token: str) -> bool:
    """Whether it has the form of one: secrets of links hold no dot."""
    return _FORM.fullmatch(token) is not None


def is_over(token: str, now: datetime | None = None) -> bool:
    """Whether its time is up, by what it says itself."""
    return _ends(token) <= (now or datetime.now(UTC)).timestamp()


def is_signed(store: Store, share: Share, token: str) -> bool:
    """Whether it was made here, for this link and its password."""
    ends, _, signature = token.partition(".")
    return hmac.compare_digest(signature, _signature(store, share, ends))


def is_to_be_renewed(token: str, now: datetime | None = None) -> bool:
    """Whether it has been used for a while."""
    return _ends(token) < ((now or datetime.now(UTC)) + LASTS - RENEWED_AFTER).timestamp()


def _ends(token: str) -> int:
    return int(token.partition(".")[0])


def _signature(store: Store, share: Share, ends: str) -> str:
    signed = "\n".join((share.id, share.secret_sha256, share.password_hash, ends))
    return hmac.new(server_key(store.settings.data), signed.encode(), hashlib.sha256).hexdigest()
