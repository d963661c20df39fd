"""An answer below a share link: a value until the rules of the link were applied to it, and text after that."""

from __future__ import annotations

from typing import Any

import anyio.to_thread
from pydantic_core import to_json
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from backend.api.found_route import found_route
from backend.api.opened_link import OpenedLink

_SHOWN = "link_answer_shown"


class LinkAnswer(JSONResponse):
    """The response class of every route below a link."""

    def render(self, content: Any) -> bytes:
        """Nothing yet: the link is known when the answer is sent."""
        self._value = content
        return b""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As the viewer may see it."""
        link: OpenedLink = scope["state"]["opened_link"]
        found = found_route(scope)
        assert found is not None
        body = await anyio.to_thread.run_sync(_text, self._value, link, found.answer)
        scope["state"][_SHOWN] = True
        await Response(body, self.status_code, media_type=self.media_type)(scope, receive, send)


def _text(value: Any, link: OpenedLink, declared: Any) -> bytes:
    shown = value if link.view is None else link.view.shown(value, declared)
    return to_json(shown, inf_nan_mode="null")


def is_shown(scope: Scope) -> bool:
    """Whether what was answered passed the rules of the link."""
    return bool(scope["state"].get(_SHOWN))
