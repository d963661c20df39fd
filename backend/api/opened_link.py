"""The verdict on a request below a share link; without it no route there answers."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.types import Scope as RequestScope

from backend.errors import Refused
from backend.services.redaction.shared_view import SharedView
from backend.services.scope import Scope
from backend.storage.records import Share
from backend.storage.store import Store


@dataclass(frozen=True)
class OpenedLink:
    """A link whose secret was shown, what it is read from, and the rules that its answers pass."""

    share: Share
    shown: Store
    scope: Scope
    """The part of the investigation that it shows."""
    view: SharedView | None
    """None for a link that hides nothing and shows all."""


def put_verdict(scope: RequestScope, link: OpenedLink) -> None:
    """Only what also holds the answer back may say so (`backend.api.shared_answers`)."""
    scope.setdefault("state", {})["opened_link"] = link


def verdict(scope: RequestScope, share_id: str) -> OpenedLink:
    """What the middleware decided about this request; raises Refused where it decided nothing about this link."""
    link: OpenedLink | None = scope.get("state", {}).get("opened_link")
    if link is None or link.share.id != share_id:
        raise Refused("Open the link with its secret part first.")
    return link
