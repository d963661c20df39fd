"""The one exception of the client: what the server said, or that there was none."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

# The names say what happened; a suffix would only say that it is raised.
# ruff: noqa: N818


class Problem(Exception):
    """A problem document (RFC 9457), or the same fields for a server that cannot be reached."""

    def __init__(
        self,
        title: str,
        detail: str,
        *,
        status: int | None = None,
        type: str = "about:blank",
        instance: str | None = None,
        retry_after_s: float | None = None,
        members: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(f"{title}: {detail}" if status is None else f"{title}: {detail} ({status})")
        self.title = title
        self.detail = detail
        """A sentence for people."""
        self.status = status
        """HTTP status of the refusal; None when there was no answer."""
        self.type = type
        self.instance = instance
        self.retry_after_s = retry_after_s
        """When the server says that it is worth trying again."""
        self.members = dict(members or {})
        """What the document holds besides (RFC 9457 section 3.2)."""


class NotFinished(Problem):
    """The analysis did not come to a report: it takes longer than one would wait, was cancelled, or failed."""

    def __init__(self, detail: str, *, analysis: str) -> None:
        super().__init__("not finished", detail)
        self.analysis = analysis
        """``queued``, ``running``, ``failed`` or ``cancelled``."""


_OWN_FIELDS = ("type", "title", "status", "detail", "instance")


def problem_of(server: str, status: int, reason: str, headers: Mapping[str, str], body: bytes) -> Problem:
    """What a refusal says; a body that is no problem document leaves the status to speak."""
    try:
        document = json.loads(body)
    except ValueError:
        document = None
    fields: dict[str, Any] = document if isinstance(document, dict) else {}
    return Problem(
        f"{server} refused",
        str(fields.get("detail") or fields.get("title") or reason or "no reason was given"),
        status=status,
        type=str(fields.get("type") or "about:blank"),
        instance=fields.get("instance"),
        retry_after_s=retry_after_s(headers),
        members={key: value for key, value in fields.items() if key not in _OWN_FIELDS},
    )


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Seconds of a Retry-After header; its other form, a date, is not used by the server."""
    text = headers.get("retry-after", "")
    return float(text) if text.isdecimal() else None
