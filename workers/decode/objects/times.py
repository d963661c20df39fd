"""Times as Kubernetes and Docker write them (RFC 3339)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@lru_cache(maxsize=65_536)
def time_ns(text: str | None) -> int | None:
    """``2026-11-21T01:11:43Z`` in ns since 1970 UTC, to the microsecond; None without one, or before 1970, as Docker's
    ``0001-01-01T00:00:00Z`` for never."""
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        return None
    ns = (moment - _EPOCH) // timedelta(microseconds=1) * 1_000
    return ns if 0 < ns < 1 << 62 else None
